import { assign } from "./assign.ts";
import { folderBuiltins } from "./builtins-folder.ts";
import { leave, leaveLoops } from "./builtins-set.ts";
import { variableBuiltins } from "./builtins-variable.ts";
import type { Machine } from "./machine.ts";
import { echoed, printed } from "./print-text.ts";
import { programPath } from "./program-output.ts";
import { deviceOf } from "./resolve-path.ts";
import { countNames, runSubscript } from "./run-nested.ts";
import { concat, known, knownParts, knownStart, literal, sameText, type Text, unknownText } from "./text.ts";
import type { Input } from "./types.ts";
import { both, type Outcome, succeeds, type World } from "./world.ts";

/** A command that the shell runs itself and that may change the shell's state. */
export interface BuiltinCall {
  readonly m: Machine;
  readonly args: readonly Text[];
  readonly world: World;
  readonly input: Input;
}

export type Builtin = (call: BuiltinCall) => Outcome;

const silent: Builtin = ({ world }) => both(world, []);
/** Changes nothing that matters here. Its output is unknown. */
const prints: Builtin = ({ world }) => both(world);

/** Operands that the shell may evaluate as arithmetic, which runs the substitutions in their subscripts. */
const subscripts: Builtin = ({ m, args, world }) => {
  for (const arg of args) runSubscript(m, arg, world);
  return both(world, []);
};

/** The names that an arithmetic expression sets. */
function assignedIn(expression: string): string {
  const set = /([A-Za-z_]\w*)\s*(?:(?:<<|>>|[-+*/%&|^])?=(?!=)|\+\+|--)|(?:\+\+|--)\s*([A-Za-z_]\w*)/g;
  return [...expression.matchAll(set)].map((match) => match[1] ?? match[2] ?? "").join(" ");
}

/** `-C code`, `-F function`, `-W words` run when a completion is requested, or at once, with three more words. */
const completion: Builtin = ({ m, args, world, input }) => {
  args.forEach((arg, index) => {
    const [, option, glued] = /^-\w*?([CFW])(.*)$/s.exec(knownStart(arg)) ?? [];
    if (option === undefined) return;
    const value =
      glued === "" && arg.length === 1 ? (args[index + 1] ?? []) : concat(literal(glued ?? ""), arg.slice(1));
    if (option === "C")
      m.subshell(concat(value, literal(' "$1" "$2" "$3"')), { ...world, positional: undefined }, input);
    else if (option === "F") m.run([value, unknownText, unknownText, unknownText], world, input);
    else runSubscript(m, value, world);
  });
  return both(world);
};

const jobs: Builtin = ({ m, args, world, input }) => {
  const at = args.findIndex((arg) => known(arg) === "-x");
  return at < 0 ? both(world) : m.run(args.slice(at + 1), world, input, { plain: true });
};

const own: Readonly<Record<string, Builtin>> = {
  ":": ({ world }) => succeeds(world),
  true: ({ world }) => succeeds(world),
  false: ({ world }) => ({ ok: [], fail: [world], out: [] }),
  echo: ({ args, world }) => both(world, echoed(args)),
  printf: printfCommand,
  eval: ({ m, args, world, input }) => m.code(joined(afterDashes(args)), world, input),
  source: sourceCommand,
  ".": sourceCommand,
  exec: execCommand,
  command: commandCommand,
  builtin: ({ m, args, world, input }) => m.run(afterDashes(args), world, input, { plain: true }),
  trap: trapCommand,
  alias: aliasCommand,
  unalias: silent,
  exit: ({ m, world }) => leave(m.escapes.exited, world),
  return: ({ m, world }) => leave(m.escapes.returned, world),
  break: leaveLoops,
  continue: leaveLoops,
  hash: ({ m, args, world }) => {
    if (args.some((arg) => /^-\w*p/.test(knownStart(arg))))
      m.report.refuse("loader", "`hash -p` gives a command name to another file: run that file by its path");
    return both(world);
  },
  enable: ({ m, args, world }) => {
    if (args.some((arg) => !/^-[aps]+$/.test(knownStart(arg))))
      m.report.refuse("loader", "`enable` changes which commands the shell runs itself: leave it out");
    return both(world);
  },
  bind: ({ m, world }) => {
    m.report.refuse("loader", "`bind` attaches commands to keys: leave it out");
    return both(world, []);
  },
  let: ({ m, args, world }) => {
    const outcome = subscripts({ m, args, world, input: { kind: "none" } });
    for (const arg of args) countNames(m, assignedIn(knownParts(arg)));
    return outcome;
  },
  test: subscripts,
  "[": subscripts,
  history: ({ m, args, world }) => {
    for (const file of args.filter((arg) => !/^-/.test(knownStart(arg))))
      m.report.write("history", file, world, { action: "write", tree: false });
    return both(world);
  },
  complete: completion,
  compgen: completion,
  jobs,
  wait: subscripts,
  ...Object.fromEntries(
    ["bg", "fg", "umask", "ulimit", "times", "type", "disown"].map((name) => [name, prints]),
  ),
};

export const builtins: ReadonlyMap<string, Builtin> = new Map(
  Object.entries({ ...own, ...folderBuiltins, ...variableBuiltins }),
);

function afterDashes(args: readonly Text[]): readonly Text[] {
  return known(args[0] ?? []) === "--" ? args.slice(1) : args;
}

function joined(args: readonly Text[]): Text {
  return concat(...args.flatMap((arg, index) => (index === 0 ? [arg] : [literal(" "), arg])));
}

function printfCommand({ m, args, world }: BuiltinCall): Outcome {
  const option = /^-v(.*)$/s.exec(known(args[0] ?? []) ?? "");
  if (option === null) return both(world, printed(args));
  const glued = option[1] !== "";
  const name = glued ? (option[1] as string) : (known(args[1] ?? []) ?? "_");
  const text = printed(args.slice(glued ? 1 : 2));
  return both(assign(m, world, name, text === undefined ? "unknown" : [text]), []);
}

/** A sourced file is opaque. Text from a pipe or a descriptor must be known. */
function sourceCommand({ m, args, world, input }: BuiltinCall): Outcome {
  const [file] = afterDashes(args);
  const pipe = file?.find((piece) => piece.kind === "pipe");
  const device = deviceOf(known(file ?? []) ?? "");
  if (pipe?.kind === "pipe" && pipe.content !== undefined) return m.code(pipe.content, world, input);
  if (device === "input" && input.kind === "text") return m.code(input.text, world, input);
  if (device !== undefined || pipe !== undefined) {
    m.report.refuse(
      "unknown-code",
      "the command sources text that cannot be known before it runs: write the commands out",
    );
    return both(world);
  }
  m.report.opaque("source", "it runs the commands of a file");
  return both(world);
}

/** `exec` without a command only redirects. The redirections are already reported. */
function execCommand({ m, args, world, input }: BuiltinCall): Outcome {
  let first = 0;
  while (first < args.length && /^-[acl]/.test(knownStart(args[first] as Text)))
    first += /^-[cl]*a$/.test(knownStart(args[first] as Text)) ? 2 : 1;
  const words = afterDashes(args.slice(first));
  if (words.length === 0) {
    if (input.kind !== "none")
      m.report.refuse(
        "unparsed",
        "`exec` changes what all later commands read: redirect the one command that needs it",
      );
    return both({ ...world, descriptors: new Map(world.descriptors) }, []);
  }
  const outcome = m.run(words, world, input, { plain: true, asFile: true });
  m.escapes.exited.push(world);
  return { ok: [], fail: [world], out: outcome.out };
}

function commandCommand({ m, args, world, input }: BuiltinCall): Outcome {
  const first = args.findIndex((arg) => !/^-[pvV]+$/.test(knownStart(arg)));
  const printsPath = args.slice(0, Math.max(first, 0)).some((arg) => /[vV]/.test(knownStart(arg)));
  const words = first < 0 ? [] : afterDashes(args.slice(first));
  if (words.length === 0) return both(world, []);
  if (printsPath) return both(world, programPath(words[0] as Text));
  return m.run(words, world, input, { plain: true });
}

/** The code runs later. It is judged as if it ran now, and again when its shell ends. */
function trapCommand({ m, args, world, input }: BuiltinCall): Outcome {
  const operands = args.filter((arg) => !/^-[lp-]$/.test(known(arg) ?? ""));
  const [code] = operands;
  if (code !== undefined && operands.length > 1 && known(code) !== "-") {
    m.traps.push(code);
    m.subshell(code, world, input);
  }
  return both(world);
}

function aliasCommand({ world, args }: BuiltinCall): Outcome {
  const aliases = new Map(world.aliases);
  for (const arg of args) {
    const start = knownStart(arg);
    const at = start.indexOf("=");
    if (at > 0) aliases.set(start.slice(0, at), concat(literal(start.slice(at + 1)), arg.slice(1)));
  }
  const changed = [...aliases].some(([name, text]) => !sameText(text, world.aliases.get(name) ?? []));
  const sets = args.length > 0 && args.every((arg) => knownStart(arg).includes("="));
  return both(changed ? { ...world, aliases } : world, sets ? [] : undefined);
}
