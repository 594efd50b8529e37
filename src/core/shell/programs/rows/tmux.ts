import { optionReader } from "../../read-options.ts";
import { known, knownParts, knownStart, literal, type Text, unknownText } from "../../text.ts";
import type { Call, Effects } from "../../types.ts";
import { typedInto } from "../row/report-code.ts";
import type { Hook, Row } from "../row/row.ts";
import { joined, writeFiles } from "../row/words.ts";

function commandsOf(words: readonly Text[]): readonly (readonly Text[])[] {
  const commands: Text[][] = [[]];
  for (const word of words) {
    const text = known(word);
    const ends = text?.endsWith(";") === true;
    if (text !== ";") commands.at(-1)?.push(ends ? literal(text.slice(0, -1)) : word);
    if (ends) commands.push([]);
  }
  return commands;
}

/** Commands that start a program: the option for the folder, and the other options with a value. */
const tmuxStarts = [
  { names: "new-session", folder: "c", read: optionReader({ values: "c e f F n s t x y", wrapper: true }) },
  {
    names: "neww new-window splitw split-window respawnw respawn-window respawnp respawn-pane",
    ...{ folder: "c", read: optionReader({ values: "c e F l n p t", wrapper: true }) },
  },
  { names: "popup display-popup", ...{ folder: "d", read: optionReader({ values: "b c d e h s S t T w x y", wrapper: true }) } },
  { names: "run-shell", folder: "c", read: optionReader({ values: "c d t", wrapper: true }) },
  { names: "pipep pipe-pane", folder: "", read: optionReader({ values: "t", wrapper: true }) },
];
const tmuxConfigures =
  "source-file set-hook bind-key if-shell confirm-before command-prompt set-option setw set-window-option choose-tree display-menu menu wait-for";

/** Any command may be abbreviated as long as the abbreviation is unambiguous. */
function isTmux(names: string, word: string): boolean {
  return names.split(" ").some((name) => name.startsWith(word));
}

function reportTmux([verb, ...args]: readonly Text[], call: Call, effects: Effects): void {
  const name = known(verb ?? []) ?? "?";
  for (const word of args) for (const [, code] of knownParts(word).matchAll(/#\(([^)]*)/g)) effects.shell(literal(code ?? ""));
  if (name.length < 2) return;
  const starts = tmuxStarts.find(({ names }) => isTmux(names, name));
  if (isTmux("send-keys", name)) typed(args, effects);
  else if (isTmux("saveb save-buffer", name)) writeFiles(args.slice(-1), effects);
  else if (starts !== undefined) {
    const options = starts.read(args);
    const folder = options.value(starts.folder);
    const inner = folder === undefined ? effects : effects.within(startFolder(folder, call));
    if (options.operands.length === 1) inner.shell(options.operands[0] ?? unknownText);
    else if (options.operands.length > 1) inner.run(options.operands);
    else inner.opaque(typedInto);
  } else if (isTmux(tmuxConfigures, name)) {
    effects.opaque("tmux runs configured commands");
    for (const word of args) effects.code(word);
  }
}

/** If the folder does not exist, tmux starts the command in the home folder. */
function startFolder(folder: Text, { tree }: Call): Text {
  return tree?.isFolder(known(folder) ?? "") === true ? folder : unknownText;
}

/** Text typed into an open shell. */
function typed(words: readonly Text[], effects: Effects): void {
  const isKey = (word: Text) => /^(?:Enter|C-\w|Escape|Space|Tab|BSpace|Up|Down)$/.test(known(word) ?? "");
  const text = withoutOptions(words, /^-[tN]$/, /^$/).filter((word) => !isKey(word));
  if (text.length > 0) effects.shell(joined(text));
}

export function withoutOptions(words: readonly Text[], withValue: RegExp, flags: RegExp): readonly Text[] {
  let at = 0;
  while (at < words.length && knownStart(words[at] ?? []).startsWith("-")) {
    const word = knownStart(words[at] ?? []);
    at += withValue.test(word) && !flags.test(word) ? 2 : 1;
  }
  return words.slice(at);
}

const runsCommands: Hook = (options, effects, call) => {
  if (options.operands.length === 0 && !options.has("c", "V")) effects.opaque(typedInto);
  for (const command of commandsOf(options.operands)) reportTmux(command, call, effects);
};

/** `tmux new-session -d 'command' ; send-keys 'text' Enter`. */
export const tmux: Row = {
  names: "tmux",
  wrapper: true,
  values: "f L S T",
  flags: "2 C D l N u v V",
  shell: "c",
  besides: [{ when: "f", opaque: "tmux runs configured commands" }],
  also: runsCommands,
  match: ["tmux new -d 'touch a' -> a", "tmux send-keys -t 0 'touch a' Enter -> a", "tmux saveb a -> a", "tmux -c 'touch a' -> a", "tmux bind x y"],
  no_match: ["tmux ls", "tmux attach"],
};
