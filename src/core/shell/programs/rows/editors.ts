import { knownStart, literal, type Text, withoutStart } from "../../text.ts";
import type { Hook, Row } from "../row/row.ts";
import { reportEditorCommands } from "../text/editor-commands.ts";

const unknownCommands = "the editor's commands are not known";

const edits: Hook = (_, effects, { input }) => {
  if (input.kind === "text") reportEditorCommands(input.text, effects);
  else effects.opaque(unknownCommands);
};

const writesFiles: Hook = (options, effects) => {
  for (const file of options.operands) if (!/^(?:\+|-$)/.test(knownStart(file))) effects.write(file);
};

/** An editor writes the files it opens. `-c`, `+…` and standard input are editor commands. */
const editsScreen: Hook = (options, effects, { name, input }) => {
  const pluses = options.operands.filter((word) => knownStart(word).startsWith("+"));
  const commands = [...options.all("c", "cmd"), ...pluses.map((word) => withoutStart(word, 1))];
  for (const command of commands) reportEditorCommands(command, effects);
  effects.opaque("editor commands may write files");
  const readsCommands = name === "ex" || options.has("s", "e", "E");
  if (input.kind === "text" && readsCommands) reportEditorCommands(input.text, effects);
};

/** In ex mode `-s` only means silent. Otherwise it names a file of keystrokes. */
const withoutSilent = (words: readonly Text[]): readonly Text[] =>
  words.map((word) => (/^-[a-zA-Z]+$/.test(knownStart(word)) && word.length === 1 ? literal(knownStart(word).replaceAll("s", "") || "-e") : word));
const isEx = (word: Text): boolean => /^-[a-zA-Z]*[eE]/.test(knownStart(word));

const vim = {
  values: "c cmd S s T t u U i P r listen server remote-send remote-expr",
  glued: "o O p q L",
  flags: "e E R n N b d g f y Z A H F M m l x X",
  files: "w W V,startuptime",
  action: "write",
  besides: [{ unless: "R M m", also: writesFiles }],
  also: editsScreen,
} as const;

export const editors: readonly Row[] = [
  {
    names: "ed red",
    values: "p,prompt",
    flags: "s,quiet,silent G l E r v",
    writes: "operands",
    action: "write",
    also: edits,
    match: ["ed -s a -> a", "ed a <<< 'w b' -> a b", "ed a <<< '!touch b' -> a b"],
  },
  {
    names: "vim vi nvim gvim vimdiff nvi elvis rvim mvim",
    ...vim,
    spelled: (words) => (words.some(isEx) ? withoutSilent(words) : words),
    match: ["vim a -> a", "vim -es a -> a", "vim -c 'w b' a -> a b", "vim +'!touch b' a -> a b"],
    no_match: ["vim --version"],
  },
  { names: "ex", ...vim, spelled: withoutSilent, match: ["ex -s a <<< 'w b' -> a b"] },
  { names: "view", ...vim, besides: [], match: ["view -c 'w b' a -> b", "view a"] },
  {
    names: "nano pico rnano micro joe jed mg kak hx helix",
    values: "C,backupdir r,fill T,tabsize Y,syntax o,operatingdir Q s,speller X f,rcfile J,guidestripe",
    harmless: "v,view",
    also: writesFiles,
    match: ["nano +3 a -> a"],
    no_match: ["nano -v a"],
  },
  {
    names: "emacs emacsclient",
    style: "long",
    values: "l,load f,funcall insert script x L,directory d,display chdir visit file find-file",
    flags: "Q,quick",
    code: "e,eval execute",
    opaque: "the editor runs its own programs",
    also: writesFiles,
    match: ["emacs --batch a -> a"],
  },
  {
    names: "code code-insiders codium subl atom gedit kate zed idea pycharm webstorm notepad mate bbedit",
    opaque: "it opens an editor",
    mentions: "operands",
    match: ["code a"],
    no_match: ["code --version"],
  },
  { names: "sudoedit", writes: "operands", match: ["sudoedit a -> a"] },
];
