import { variableValue } from "./expand-parameter.ts";
import type { Machine } from "./machine.ts";
import { absoluteText } from "./resolve-path.ts";
import { anyName, concat, known, knownStart, literal, type Text, unknownText } from "./text.ts";
import type { Call } from "./types.ts";
import type { World } from "./world.ts";

const below: Text = [{ kind: "below" }];
const generator: Text = [{ kind: "unknown", source: "generator" }];

/** What a program prints, for `$(…)` and pipes; undefined where only the run will tell. */
export function outputOf(m: Machine, call: Call, world: World): Text | undefined {
  return printers.get(call.name)?.({ m, call, world, args: call.args.map((arg) => known(arg)) });
}

interface Printing {
  readonly m: Machine;
  readonly call: Call;
  readonly world: World;
  readonly args: readonly (string | undefined)[];
}

type Printer = (printing: Printing) => Text | undefined;

const oneName: Printer = () => anyName;
const isOption = (arg: Text) => knownStart(arg).startsWith("-");
const operandsOf = (call: Call) => call.args.filter((arg) => !isOption(arg));

const described: Readonly<Record<string, Printer>> = {
  cat: ({ call }) =>
    operandsOf(call).length === 0 && call.input.kind === "text" ? call.input.text : undefined,
  mktemp: ({ m, call, world }) => temporary(m, call, world),
  dirname: ({ args }) =>
    args.length === 1 && args[0] !== undefined ? literal(parentOf(args[0])) : undefined,
  basename: ({ call }) => (call.args.length > 0 ? anyName : undefined),
  realpath: ({ call, world }) => lastOperand(call, world),
  readlink: ({ call, world }) => (call.args.some(isOption) ? lastOperand(call, world) : undefined),
  which: ({ call }) => operandsOf(call)[0],
  date: ({ call }) => (call.args.some((arg) => knownStart(arg).includes("/")) ? undefined : anyName),
  seq: oneName,
  nproc: oneName,
  whoami: oneName,
  hostname: oneName,
  uname: oneName,
  id: oneName,
  wc: ({ call }) => (call.input.kind === "none" ? undefined : anyName),
  uuidgen: oneName,
  find: ({ call }) => found(call),
  fd: ({ call }) => pathsBelow(operandsOf(call).slice(1)),
  ls: ({ call }) =>
    call.args.some(
      (arg) => /^-\w*[lR1]?/.test(knownStart(arg)) && /[lR]/.test(knownStart(arg)) && isOption(arg),
    )
      ? undefined
      : listed(call),
  rg: ({ call }) => (lists(call, "l") ? pathsBelow(operandsOf(call).slice(1)) : filtered(call)),
  grep: ({ call }) => (lists(call, "l") ? pathsBelow(operandsOf(call).slice(1)) : filtered(call)),
  sort: filteredBy,
  uniq: filteredBy,
  head: filteredBy,
  tail: filteredBy,
  git: ({ m, args }) => gitOutput(m, args),
  ...Object.fromEntries(["ssh-agent", "dircolors"].map((name) => [name, () => generator])),
  direnv: () => generator,
  brew: ({ args }) => (args[0] === "shellenv" ? generator : undefined),
  ...Object.fromEntries(
    ["pyenv", "rbenv", "nodenv", "fnm", "mise", "opam"].map((name) => [
      name,
      ({ args }: Printing) =>
        args.some((arg) => /^(?:init|env|activate|virtualenv-init)$/.test(arg ?? "")) ? generator : undefined,
    ]),
  ),
};

const printers: ReadonlyMap<string, Printer> = new Map(Object.entries(described));

function filteredBy({ call }: Printing): Text | undefined {
  return filtered(call);
}

/** A filter prints some of the lines it reads; for paths that is as good as all of them. */
function filtered(call: Call): Text | undefined {
  if (
    call.input.kind !== "text" ||
    call.args.some((arg) => /^-\w*[oc]|^--(?:only|count|bytes)/.test(knownStart(arg)))
  )
    return undefined;
  return call.input.text.some((piece) => piece.kind === "below" || piece.kind === "name")
    ? call.input.text
    : undefined;
}

function temporary(m: Machine, call: Call, world: World): Text {
  const at = call.args.findIndex((arg) => /^(?:-p|--tmpdir)$/.test(known(arg) ?? ""));
  const glued = call.args.find((arg) => /^(?:--tmpdir=|-p.)/.test(knownStart(arg)));
  const template = operandsOf(call).at(-1);
  if (glued !== undefined) return unknownText;
  if (at >= 0)
    return concat(absoluteText(call.args[at + 1] ?? unknownText, world.cwd), literal("/"), anyName);
  if (template !== undefined && !call.args.some((arg) => knownStart(arg) === "-t"))
    return absoluteText(template, world.cwd);
  const folder = variableValue(m, "TMPDIR", world);
  const start = Array.isArray(folder) ? (folder[0] ?? []) : literal(m.context.tmp ?? "/tmp");
  return concat(absoluteText(start, world.cwd), literal("/tmp.XXXXXXXXXX"));
}

function parentOf(path: string): string {
  const trimmed = path.replace(/\/+$/, "");
  const at = trimmed.lastIndexOf("/");
  return at < 0 ? "." : trimmed.slice(0, at) || "/";
}

function lastOperand(call: Call, world: World): Text | undefined {
  const last = operandsOf(call).at(-1);
  return last === undefined ? undefined : absoluteText(last, world.cwd);
}

function lists(call: Call, flag: string): boolean {
  return call.args.some((arg) => {
    const text = knownStart(arg);
    return (
      text === "--files-with-matches" ||
      text === "--files" ||
      (/^-[A-Za-z]+$/.test(text) && text.includes(flag))
    );
  });
}

function found(call: Call): Text | undefined {
  if (
    call.args.some(
      (arg) => /^-(?:printf|print0?f?|ls|exec)/.test(knownStart(arg)) && !/^-print0?$/.test(knownStart(arg)),
    )
  )
    return undefined;
  const starts = call.args.slice(0, startsCount(call.args));
  return pathsBelow(starts);
}

function startsCount(args: readonly Text[]): number {
  const at = args.findIndex((arg) => /^[-(!]/.test(knownStart(arg)));
  return at < 0 ? args.length : at;
}

/** One start folder gives one text; several would have to be told apart, and are not. */
function pathsBelow(starts: readonly Text[]): Text | undefined {
  if (starts.length > 1) return undefined;
  return concat(starts[0] ?? literal("."), below);
}

function listed(call: Call): Text | undefined {
  const globs = operandsOf(call);
  if (globs.length === 0) return anyName;
  const [only] = globs;
  if (globs.length > 1 || only === undefined) return undefined;
  return only.some((piece) => piece.kind === "glob") ? only : anyName;
}

function gitOutput(m: Machine, args: readonly (string | undefined)[]): Text | undefined {
  if (args[0] === "rev-parse") {
    if (args.includes("--show-toplevel")) return literal(m.context.root);
    if (args.some((arg) => /^--(?:git|show|absolute)/.test(arg ?? "--git"))) return undefined;
    return anyName;
  }
  if (args[0] === "ls-files" && args.length === 1) return concat(literal("."), below);
  if (args[0] === "ls-files" && args.length === 2 && !args[1]?.startsWith("-") && args[1] !== undefined)
    return concat(literal(args[1]), below);
  if (args[0] === "describe" || args[0] === "merge-base") return anyName;
  return undefined;
}
