import { assign } from "./assign.ts";
import { folderBuiltins } from "./builtins-folder.ts";
import { variableBuiltins } from "./builtins-variable.ts";
import type { Machine } from "./machine.ts";
import { echoed, printed } from "./print-text.ts";
import { runSubscript } from "./run-nested.ts";
import { concat, known, knownStart, literal, type Text } from "./text.ts";
import type { Input } from "./types.ts";
import { both, type Outcome, succeeds, type World } from "./world.ts";

/** A command that the shell runs itself, and that may change the shell. */
export interface BuiltinCall {
  readonly m: Machine;
  readonly args: readonly Text[];
  readonly world: World;
  readonly input: Input;
}

export type Builtin = (call: BuiltinCall) => Outcome;

const silent: Builtin = ({ world }) => both(world, []);

/** Operands that the shell may take for arithmetic, and run what stands in their subscripts. */
const subscripts: Builtin = ({ m, args, world }) => {
  for (const arg of args) runSubscript(m, arg, world);
  return both(world, []);
};

const completion: Builtin = ({ m, args, world, input }) => {
  const code = args.findIndex((arg) => known(arg) === "-C");
  if (code >= 0) m.subshell(args[code + 1] ?? [], world, input);
  return both(world, []);
};

const own: Readonly<Record<string, Builtin>> = {
  ":": ({ world }) => succeeds(world),
  true: ({ world }) => succeeds(world),
  false: ({ world }) => ({ ok: [], fail: [world], out: [] }),
  echo: ({ args, world }) => both(world, echoed(args)),
  printf: printfCommand,
  eval: ({ m, args, world, input }) => m.code(joined(args), world, input),
  source: sourceCommand,
  ".": sourceCommand,
  exec: execCommand,
  command: commandCommand,
  builtin: ({ m, args, world, input }) => m.run(args, world, input, { plain: true }),
  trap: trapCommand,
  alias: aliasCommand,
  unalias: silent,
  exit: ({ m, world }) => leave(m.escapes.exited, world),
  return: ({ m, world }) => leave(m.escapes.returned, world),
  break: ({ m, world }) => leave(m.escapes.broken, world),
  continue: ({ m, world }) => leave(m.escapes.broken, world),
  hash: ({ m, args, world }) => {
    if (args.some((arg) => /^-\w*p/.test(knownStart(arg))))
      m.report.refuse("loader", "`hash -p` gives a command name to another file");
    return both(world, []);
  },
  enable: ({ m, args, world }) => {
    if (args.some((arg) => /^-\w*f/.test(knownStart(arg))))
      m.report.refuse("loader", "`enable -f` loads code into the shell");
    return both(world, []);
  },
  bind: ({ m, world }) => {
    m.report.refuse("loader", "`bind` attaches commands to keys");
    return both(world, []);
  },
  let: subscripts,
  test: subscripts,
  "[": subscripts,
  history: ({ m, args, world }) => {
    for (const file of args.filter((arg) => !/^-/.test(knownStart(arg))))
      m.report.write("history", file, world, { action: "write", tree: false });
    return both(world);
  },
  complete: completion,
  compgen: completion,
  ...Object.fromEntries(
    ["shopt", "wait", "jobs", "bg", "fg", "umask", "ulimit", "times", "type", "disown"].map((name) => [
      name,
      silent,
    ]),
  ),
};

export const builtins: ReadonlyMap<string, Builtin> = new Map(
  Object.entries({ ...own, ...folderBuiltins, ...variableBuiltins }),
);

function leave(reached: World[] | undefined, world: World): Outcome {
  if (reached === undefined) return both(world, []);
  reached.push(world);
  return { ok: [], fail: [], out: [] };
}

function joined(args: readonly Text[]): Text {
  return concat(...args.flatMap((arg, index) => (index === 0 ? [arg] : [literal(" "), arg])));
}

function printfCommand({ m, args, world }: BuiltinCall): Outcome {
  const name = known(args[0] ?? []) === "-v" ? known(args[1] ?? []) : undefined;
  if (name === undefined) return both(world, printed(args));
  const text = printed(args.slice(2));
  return both(assign(m, world, name, text === undefined ? "unknown" : [text]), []);
}

/** A file to source is opaque; a pipe or standard input is code that must be known. */
function sourceCommand({ m, args, world, input }: BuiltinCall): Outcome {
  const [file] = args;
  const pipe = file?.find((piece) => piece.kind === "pipe");
  const fromInput = /^\/(?:dev\/(?:stdin|fd\/0)|proc\/self\/fd\/0)$/.test(known(file ?? []) ?? "");
  if (fromInput && input.kind === "text") return m.code(input.text, world, input);
  if (fromInput || (pipe?.kind === "pipe" && pipe.content === undefined)) {
    m.report.refuse("unknown-code", "sources text that cannot be known before it runs");
    return both(world);
  }
  if (pipe?.kind === "pipe" && pipe.content !== undefined) return m.code(pipe.content, world, input);
  m.report.opaque("source", "it runs the commands of a file");
  return both(world);
}

/** `exec` without a command only redirects, which has been reported already. */
function execCommand({ m, args, world, input }: BuiltinCall): Outcome {
  let first = 0;
  while (first < args.length && /^-[acl]+$/.test(knownStart(args[first] as Text))) {
    first += knownStart(args[first] as Text).includes("a") ? 2 : 1;
  }
  if (first >= args.length) return both(world, []);
  const outcome = m.run(args.slice(first), world, input, { plain: true });
  m.escapes.exited.push(world);
  return { ok: [], fail: [world], out: outcome.out };
}

function commandCommand({ m, args, world, input }: BuiltinCall): Outcome {
  const first = args.findIndex((arg) => !/^-[pvV]+$/.test(knownStart(arg)));
  const asks = args.slice(0, Math.max(first, 0)).some((arg) => /[vV]/.test(knownStart(arg)));
  if (first < 0) return both(world, []);
  if (asks) return both(world, args[first]);
  return m.run(args.slice(first), world, input, { plain: true });
}

/** The code runs at some later moment; it is judged as if it ran now, and once more at the end. */
function trapCommand({ m, args, world, input }: BuiltinCall): Outcome {
  const operands = args.filter((arg) => !/^-[lp-]$/.test(known(arg) ?? ""));
  const [code] = operands;
  if (code !== undefined && operands.length > 1 && known(code) !== "-") {
    m.traps.push(code);
    m.subshell(code, world, input);
  }
  return both(world, []);
}

function aliasCommand({ world, args }: BuiltinCall): Outcome {
  const aliases = new Map(world.aliases);
  for (const arg of args) {
    const start = knownStart(arg);
    const at = start.indexOf("=");
    if (at > 0) aliases.set(start.slice(0, at), concat(literal(start.slice(at + 1)), arg.slice(1)));
  }
  return both({ ...world, aliases }, []);
}
