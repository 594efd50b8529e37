import { optionReader } from "../../read-options.ts";
import { deviceOf } from "../../resolve-path.ts";
import { known, knownStart, literal, type Text } from "../../text.ts";
import type { Call, Effects, Program } from "../../types.ts";
import { typedInto } from "../row/report-code.ts";
import { asksForHelp, named } from "../row/words.ts";

export const shellNames =
  "sh bash dash zsh ksh mksh pdksh ksh93 ash rbash rzsh yash posh oksh loksh csh tcsh fish";

interface ShellCall {
  readonly flags: ReadonlySet<string>;
  readonly long: ReadonlySet<string>;
  readonly operands: readonly Text[];
}

const interactive = "an interactive shell runs its start files: leave out `-i`, `--rcfile` and `--init-file`";
const longValues = /^--(?:rcfile|init-file|emulate)$/;

/** Shells have their own option syntax: `-c` is a flag, and `-o` takes the next word even within a cluster. */
function readShell(args: readonly Text[]): ShellCall {
  const flags = new Set<string>();
  const long = new Set<string>();
  let at = 0;
  while (at < args.length) {
    const word = knownStart(args[at] ?? []);
    if (word === "--" || word === "-") {
      at++;
      break;
    }
    if (!/^[-+]./.test(word)) break;
    at++;
    if (word.startsWith("--")) {
      long.add(word.split("=")[0] ?? word);
      if (longValues.test(word)) at++;
      continue;
    }
    for (const letter of word.slice(1)) {
      if (word.startsWith("-")) flags.add(letter);
      if (letter === "o" || letter === "O") at++;
    }
  }
  return { flags, long, operands: args.slice(at) };
}

const shell: Program = (call, effects) => {
  if (asksForHelp(call.args)) return;
  const { flags, long, operands } = readShell(call.args);
  if (flags.has("i") || long.has("--rcfile") || long.has("--init-file") || long.has("--interactive")) {
    effects.refuse("loader", interactive);
  }
  if (flags.has("P"))
    effects.refuse(
      "unparsed",
      "`-P` makes the shell resolve links when it changes folders, which is not followed: leave it out",
    );
  const [first, ...rest] = operands;
  if (flags.has("c")) {
    if (first !== undefined) effects.shell(first, rest);
    return;
  }
  if (flags.has("n") && first !== undefined) return;
  if (first === undefined || isStandardInput(first)) return readInput(call, effects, operands);
  if (flags.has("s")) return readInput(call, effects, [literal(call.name), ...operands]);
  runScript(first, rest, effects);
};

function isStandardInput(script: Text): boolean {
  return deviceOf(known(script) ?? "") === "input";
}

/** Code from standard input. */
function readInput(call: Call, effects: Effects, args: readonly Text[]): void {
  if (call.input.kind === "text") effects.shell(call.input.text, args);
  else if (call.input.kind === "none") effects.opaque(typedInto);
  else effects.refuse("unknown-code", "data of unknown content goes into a shell: write the commands out");
}

/** A script in a file, or the output of `<(…)`. */
function runScript(script: Text, args: readonly Text[], effects: Effects): void {
  const pipe = script.find((piece) => piece.kind === "pipe");
  if (pipe?.kind === "pipe") {
    if (pipe.content === undefined)
      effects.refuse("unknown-code", "data of unknown content goes into a shell: write the commands out");
    else effects.shell(pipe.content, [script, ...args]);
    return;
  }
  if (deviceOf(known(script) ?? "") === "descriptor")
    effects.refuse("unknown-code", "data of unknown content goes into a shell: write the commands out");
  effects.opaque("it runs a script", { script });
  for (const word of args) effects.operand(word);
}

const readFish = optionReader({
  values:
    "c,command,commands C,init-command d,debug D,debug-stack-frames f,features o,debug-output profile profile-startup e,execute",
  flags: "i,interactive l,login n,no-execute N,no-config P,private",
  wrapper: true,
});

/** fish takes code as the value of an option. */
const fish: Program = (call, effects) => {
  if (asksForHelp(call.args)) return;
  const options = readFish(call.args);
  for (const file of options.all("profile", "profile-startup", "o")) effects.write(file);
  if (options.has("i")) effects.refuse("loader", interactive);
  for (const text of options.all("C", "c")) effects.shell(text, options.operands);
  const [script, ...rest] = options.operands;
  if (options.has("c", "n")) return;
  if (script === undefined || isStandardInput(script)) readInput(call, effects, options.operands);
  else runScript(script, rest, effects);
};

/** `busybox sh`, `toybox touch`: the applet is the program. */
const multiCall: Program = (call, effects) => {
  const [applet] = call.args;
  if (applet !== undefined && !knownStart(applet).startsWith("--")) effects.run(call.args);
};

export const shells = new Map<string, Program>([
  ...named(shellNames, shell),
  ["fish", fish],
  ...named("busybox toybox coreutils", multiCall),
]);
