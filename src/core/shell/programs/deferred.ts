import { optionReader } from "../read-options.ts";
import { known, knownParts, knownStart, literal, type Text, unknownText } from "../text.ts";
import type { Call, Effects, Program } from "../types.ts";
import { joined, mention, named, reading, writeFiles } from "./describe.ts";
import { typedInto } from "./tell-code.ts";

/** Commands that run later are judged like those that run now. */
function laterInput(call: Call, effects: Effects): void {
  if (call.input.kind === "text") effects.shell(call.input.text);
  else if (call.input.kind === "unknown")
    effects.refuse("unknown-code", "data of unknown content runs later");
  else if (call.input.kind === "file") effects.opaque("a script runs later");
}

const at = reading({ values: "f q t c d r", flags: "l m M v b V" }, (options, effects, call) => {
  if (options.has("l", "c", "d", "r", "V")) return;
  if (options.has("f")) return effects.opaque("a script runs later");
  laterInput(call, effects);
});

const readTmux = optionReader({ values: "c f L S T", flags: "2 C D l N u v V", wrapper: true });

/** `tmux new-session -d 'command' ; send-keys 'text' Enter`. */
const tmux: Program = (call, effects) => {
  const globals = readTmux(call.args);
  for (const code of globals.all("c")) effects.shell(code);
  if (globals.has("f")) effects.opaque("tmux runs what it is configured to");
  if (globals.operands.length === 0 && !globals.has("c", "V")) effects.opaque(typedInto);
  for (const command of commandsOf(globals.operands)) tellTmux(command, effects);
};

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

/** Commands that start a program: the folder's option, and the other options with a value. */
const tmuxStarts = [
  { names: "new-session", folder: "c", read: optionReader({ values: "c e f F n s t x y", wrapper: true }) },
  {
    names: "neww new-window splitw split-window respawnw respawn-window respawnp respawn-pane",
    ...{ folder: "c", read: optionReader({ values: "c e F l n p t", wrapper: true }) },
  },
  {
    names: "popup display-popup",
    ...{ folder: "d", read: optionReader({ values: "b c d e h s S t T w x y", wrapper: true }) },
  },
  { names: "run-shell", folder: "c", read: optionReader({ values: "c d t", wrapper: true }) },
  { names: "pipep pipe-pane", folder: "", read: optionReader({ values: "t", wrapper: true }) },
];
const tmuxConfigures =
  "source-file set-hook bind-key if-shell confirm-before command-prompt set-option setw set-window-option choose-tree display-menu menu wait-for";

/** Any command may be cut short as long as it can be told from the others. */
function isTmux(names: string, word: string): boolean {
  return names.split(" ").some((name) => name.startsWith(word));
}

function tellTmux([verb, ...args]: readonly Text[], effects: Effects): void {
  const name = known(verb ?? []) ?? "?";
  for (const word of args)
    for (const [, code] of knownParts(word).matchAll(/#\(([^)]*)/g)) effects.shell(literal(code ?? ""));
  if (name.length < 2) return;
  const starts = tmuxStarts.find(({ names }) => isTmux(names, name));
  if (isTmux("send-keys", name)) typed(args, effects);
  else if (isTmux("saveb save-buffer", name)) writeFiles(args.slice(-1), effects);
  else if (starts !== undefined) {
    const options = starts.read(args);
    const folder = options.value(starts.folder);
    const inner = folder === undefined ? effects : effects.within(folder);
    if (options.operands.length === 1) inner.shell(options.operands[0] ?? unknownText);
    else if (options.operands.length > 1) inner.run(options.operands);
    else inner.opaque(typedInto);
  } else if (isTmux(tmuxConfigures, name)) {
    effects.opaque("tmux runs what it is configured to");
    for (const word of args) effects.code(word);
  }
}

/** Text typed into a shell that somebody opened. */
function typed(words: readonly Text[], effects: Effects): void {
  const isKey = (word: Text) => /^(?:Enter|C-\w|Escape|Space|Tab|BSpace|Up|Down)$/.test(known(word) ?? "");
  const text = withoutOptions(words, /^-[tN]$/, /^$/).filter((word) => !isKey(word));
  if (text.length > 0) effects.shell(joined(text));
}

function withoutOptions(words: readonly Text[], withValue: RegExp, flags: RegExp): readonly Text[] {
  let at = 0;
  while (at < words.length && knownStart(words[at] ?? []).startsWith("-")) {
    const word = knownStart(words[at] ?? []);
    at += withValue.test(word) && !flags.test(word) ? 2 : 1;
  }
  return words.slice(at);
}

const screen: Program = (call, effects) => {
  const { args } = call;
  const stuff = args.findIndex((word) => known(word) === "stuff");
  if (stuff >= 0) return effects.shell(args[stuff + 1] ?? unknownText);
  const exec = args.findIndex((word) => /^(?:exec|screen)$/.test(known(word) ?? ""));
  if (exec >= 0) return effects.run(args.slice(exec + 1));
  const words = withoutOptions(args, /^-(?:[A-Za-z]*[SctTspehr])$/, /^-(?:ls|list|r|d|D|x)$/);
  if (words.length > 0) effects.run(words);
  else if (!args.some((word) => /^-(?:ls|list|wipe|v)$/.test(known(word) ?? ""))) effects.opaque(typedInto);
};

const schedules: Program = (call, effects) => {
  const words = call.args.map((word) => known(word) ?? "");
  if (
    words.some((word) =>
      /^(?:enable|disable|link|edit|set-property|mask|load|bootstrap|submit|setenv|import-environment|set-environment)$/.test(
        word,
      ),
    )
  ) {
    return effects.refuse("loader", "the system's services are changed");
  }
  if (
    words.some((word) =>
      /^(?:start|restart|stop|reload|kickstart|daemon-reload|unload|bootout|kill)$/.test(word),
    )
  ) {
    effects.opaque("a service starts or stops");
    if (words.some((word) => /lockstep/i.test(word)))
      effects.refuse("lockstep", "Lockstep's own processes would be ended");
  }
};

const schtasks: Program = (call, effects) => {
  if (!call.args.some((word) => /^\/query$/i.test(known(word) ?? ""))) {
    effects.refuse("loader", "jobs are put into the system's schedule");
  }
  mention(call.args, effects);
};

export const deferred = new Map<string, Program>([
  ["at", at],
  ["batch", at],
  ["schtasks", schtasks],
  ["tmux", tmux],
  ["screen", screen],
  ...named("systemctl launchctl service rc-service rc-update update-rc.d chkconfig", schedules),
]);
