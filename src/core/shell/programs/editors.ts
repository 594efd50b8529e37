import type { Options } from "../read-options.ts";
import { known, knownParts, knownStart, literal, type Text, unknownText, withoutStart } from "../text.ts";
import type { Call, Effects, Program } from "../types.ts";
import { named, reading } from "./describe.ts";

/** `w FILE` and `!COMMAND` in lines handed to ed, ex or vi. */
function tellEditorCommands(code: Text, effects: Effects): void {
  effects.code(code);
  const text = knownParts(code);
  for (const line of text.split(/[\n|]/)) {
    const command = line.slice(startOf(line));
    const write =
      /^[\d,.$%'<>+-]*\s*(?:wq|wqa|w|W|x|sav|saveas|write|up|update)!?\s+(?:>>\s*)?([^!\s>].*)$/.exec(
        command,
      );
    if (write?.[1] !== undefined) effects.write(unclearAsUnknown(write[1].trim()));
    const run = /^[\d,.$%'<>+-]*\s*(?:(?:write|read|w|r)\s*)?!(.+)$/.exec(command);
    if (run?.[1] !== undefined) effects.shell(unclearAsUnknown(run[1].trim()));
  }
  if (known(code) === undefined) effects.opaque("the editor's commands are not known");
}

/** Where a command starts, behind spaces and colons. */
function startOf(line: string): number {
  let at = 0;
  while (at < line.length && /[\s:]/.test(line[at] ?? "")) at++;
  return at;
}

function unclearAsUnknown(text: string): Text {
  return text.includes("\u{fffd}") ? unknownText : literal(text);
}

const ed = reading({ values: "p,prompt", flags: "s,quiet,silent G l E r v" }, (options, effects, call) => {
  for (const file of options.operands) effects.write(file);
  if (call.input.kind === "text") tellEditorCommands(call.input.text, effects);
  else effects.opaque("the editor's commands are not known");
});

const vimOptions = {
  values: "c cmd S T t u U i w W P r V,startuptime listen server remote-send remote-expr",
  glued: "o O p q L",
  flags: "e E R n N b d g f y Z A H F M m l x X",
} as const;

/** An editor writes the files it is given; `-c`, `+…` and standard input are commands to it. */
const vim: Program = (call, effects) => {
  const isEx = call.name === "ex" || call.args.some((word) => /^-[a-zA-Z]*[eE]/.test(knownStart(word)));
  (isEx ? exMode : visualMode)(call, effects);
};

function tellVim(options: Options, effects: Effects, call: Call): void {
  const isReadOnly = call.name === "view" || options.has("R", "M", "m");
  const commands = [
    ...options.all("c", "cmd"),
    ...options.operands
      .filter((word) => knownStart(word).startsWith("+"))
      .map((word) => withoutStart(word, 1)),
  ];
  for (const command of commands) tellEditorCommands(command, effects);
  effects.opaque("editor commands may write files");
  for (const file of options.all("w", "W", "V")) effects.write(file);
  if (call.input.kind === "text" && options.has("s", "e", "E")) tellEditorCommands(call.input.text, effects);
  if (isReadOnly) return;
  for (const file of options.operands) {
    if (!/^[+-]/.test(knownStart(file))) effects.write(file);
  }
}

/** In ex mode `-s` only means silent; elsewhere it names a file of keys. */
const exMode = reading({ ...vimOptions, flags: `${vimOptions.flags} s` }, tellVim);
const visualMode = reading({ ...vimOptions, values: `${vimOptions.values} s` }, tellVim);

const nano = reading(
  {
    values: "C,backupdir r,fill T,tabsize Y,syntax o,operatingdir Q s,speller X f,rcfile J,guidestripe",
    flags: "v,view",
  },
  (options, effects) => {
    if (options.has("v")) return;
    for (const file of options.operands) if (!knownStart(file).startsWith("+")) effects.write(file);
  },
);

const emacs = reading(
  {
    values:
      "e,eval execute l,load f,funcall insert script x L,directory d,display chdir visit file find-file",
    style: "long",
    flags: "batch Q,quick nw",
  },
  (options, effects) => {
    effects.opaque("the editor runs its own programs");
    for (const code of options.all("e", "execute")) effects.code(code);
    for (const file of options.operands) if (!knownStart(file).startsWith("+")) effects.write(file);
  },
);

export const editors = new Map<string, Program>([
  ["ed", ed],
  ["red", ed],
  ...named("vim vi nvim ex gvim view vimdiff nvi elvis rvim mvim", vim),
  ...named("nano pico rnano micro joe jed mg kak hx helix", nano),
  ...named("emacs emacsclient", emacs),
]);
