import { variableValue } from "./expand-parameter.ts";
import type { Machine } from "./machine.ts";
import { guardedProcesses, printsOfLockstep, processOutput } from "./process-output.ts";
import { absoluteText } from "./resolve-path.ts";
import { anyName, concat, known, knownStart, literal, type Text, unknownText, withoutStart } from "./text.ts";
import type { Call } from "./types.ts";
import type { World } from "./world.ts";

const below: Text = [{ kind: "below" }];
const generator: Text = [{ kind: "unknown", source: "generator" }];

/** The output of a program, for `$(…)` and pipes; undefined if only the run decides. */
export function outputOf(m: Machine, call: Call, world: World): Text | undefined {
  const printed =
    processOutput(call) ??
    printers.get(call.name)?.({ m, call, world, args: call.args.map((arg) => known(arg)) });
  return printed ?? (printsOfLockstep(call, world) ? guardedProcesses : undefined);
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
const everyArg =
  (pattern: RegExp): Printer =>
  ({ args }) =>
    args.every((arg) => pattern.test(arg ?? "")) ? anyName : undefined;

const described: Readonly<Record<string, Printer>> = {
  cat: ({ call }) =>
    operandsOf(call).length === 0 && call.input.kind === "text" ? call.input.text : undefined,
  mktemp: ({ m, call, world }) => temporary(m, call, world),
  dirname: ({ args }) =>
    args.length === 1 && args[0] !== undefined ? literal(parentOf(args[0])) : undefined,
  basename: ({ call, args }) => baseOf(call, args),
  realpath: ({ m, call, world }) => existingPath(m, call, world),
  readlink: ({ m, call, world }) =>
    call.args.some((arg) => /^-[a-z]*f/.test(knownStart(arg))) ? existingPath(m, call, world) : undefined,
  which: ({ call }) => programPath(operandsOf(call)[0]),
  date: everyArg(/^(?:-u|--utc|-I\w*|\+[%A-Za-z0-9_:-]+)$/),
  seq: everyArg(/^-?\d+$/),
  nproc: oneName,
  whoami: oneName,
  hostname: everyArg(/^-s$/),
  uname: everyArg(/^-[smr]$/),
  id: everyArg(/^-[ungG]+$/),
  wc: ({ call }) => (operandsOf(call).length === 0 && call.input.kind !== "none" ? anyName : undefined),
  uuidgen: oneName,
  find: ({ call }) => found(call),
  fd: ({ call, args }) =>
    args.every((arg) => /^[^-]/.test(arg ?? "-")) ? pathsBelow(call.args.slice(1)) : undefined,
  ls: ({ call }) => (call.args.every((arg) => /^-[1Aa]+$/.test(knownStart(arg))) ? anyName : undefined),
  rg: ({ call, args }) => searched(call, args, /^-(?:[ilnwFsS]+|-files-with-matches)$/),
  grep: ({ call, args }) =>
    searched(
      call,
      args,
      /^-(?:[rilnwEFsIhH]+|-(?:files-with-matches|recursive|include=.*|exclude=.*|exclude-dir=.*))$/,
    ),
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

/** A filter prints some of the lines it reads, unless an operand names a file to read instead. */
function filtered(call: Call): Text | undefined {
  const plain = call.args.every((arg) => /^(?:-[a-zA-Z]*|-?\d+|-n\d+)$/.test(known(arg) ?? "?"));
  return plain && !call.args.some((arg) => /^-\w*[oczT]/.test(knownStart(arg))) ? readPaths(call) : undefined;
}

function readPaths(call: Call): Text | undefined {
  if (call.input.kind !== "text") return undefined;
  return call.input.text.some((piece) => piece.kind === "below" || piece.kind === "name")
    ? call.input.text
    : undefined;
}

/**
 * `grep -rl PATTERN FOLDER` prints paths below the folder; `… | grep PATTERN` passes lines on. With other options the
 * output is unknown.
 */
function searched(call: Call, args: readonly (string | undefined)[], options: RegExp): Text | undefined {
  const words = args.filter((arg) => arg === undefined || arg.startsWith("-"));
  if (!words.every((word) => word !== undefined && (options.test(word) || /^-[vinEFw]+$/.test(word))))
    return undefined;
  const operands = operandsOf(call);
  if (words.some((word) => /^-\w*l|^--files-with/.test(word ?? "")))
    return operands.length === 0 ? undefined : pathsBelow(operands.slice(1));
  return operands.length === 1 ? readPaths(call) : undefined;
}

/** `mktemp [-dqut] [-p FOLDER] [--tmpdir[=FOLDER]] [--suffix S] [TEMPLATE]`. */
function temporary(m: Machine, call: Call, world: World): Text {
  let folder: Text | undefined;
  let template: Text | undefined;
  let inTmp = false;
  for (let at = 0; at < call.args.length; at += 1) {
    const arg = call.args[at] as Text;
    const start = knownStart(arg);
    if (/^(?:-[dqu]*p|--suffix)$/.test(start) && arg.length === 1) {
      at += 1;
      if (start !== "--suffix") folder = call.args[at] ?? unknownText;
    } else if (/^--tmpdir=/.test(start)) folder = withoutStart(arg, "--tmpdir=".length);
    else if (/^-[dqu]*p./.test(start)) return unknownText;
    else if (/^(?:--tmpdir|-[dqu]*t[dqu]*)$/.test(start)) inTmp = true;
    else if (!isOption(arg)) template = arg;
  }
  const name = template ?? literal("tmp.XXXXXXXXXX");
  if (template !== undefined && folder === undefined && !inTmp) return absoluteText(template, world.cwd);
  return concat(absoluteText(folder ?? usualFolder(m, world), world.cwd), literal("/"), name);
}

/** A file made in the caller's own temporary folder is always new. A TMPDIR that the command sets must be known. */
function usualFolder(m: Machine, world: World): Text {
  const value = variableValue(m, "TMPDIR", world);
  if (value === "unknown" && world.variables.has("TMPDIR")) return unknownText;
  const folder = Array.isArray(value) ? (value[0] ?? []) : [];
  return folder.length === 0 ? literal("/tmp") : folder;
}

function parentOf(path: string): string {
  const trimmed = path.replace(/\/+$/, "");
  const at = trimmed.lastIndexOf("/");
  return at < 0 ? "." : trimmed.slice(0, at) || "/";
}

/** Links are resolved when the path is judged. A link that the command itself makes does not exist yet. */
function existingPath(m: Machine, call: Call, world: World): Text | undefined {
  const last = operandsOf(call).at(-1);
  return last === undefined || m.report.makesLinks ? undefined : absoluteText(last, world.cwd);
}

/** The program is in some folder of the system; only its name matters. */
export function programPath(name: Text | undefined): Text | undefined {
  const plain = known(name ?? []);
  return plain === undefined || plain === ""
    ? undefined
    : literal(plain.includes("/") ? plain : `/usr/bin/${plain}`);
}

function baseOf(call: Call, args: readonly (string | undefined)[]): Text | undefined {
  const [path] = args;
  if (path !== undefined && args.length === 1)
    return literal(path.replace(/\/+$/, "").split("/").at(-1) ?? "");
  const printedPath = call.args[0]?.some((piece) => piece.kind === "below" || piece.kind === "glob");
  return printedPath === true ? anyName : undefined;
}

function follows(call: Call): boolean {
  return call.args.some((arg) =>
    /^(?:-[A-Za-z]*[LR]|--follow|--dereference-recursive)/.test(knownStart(arg)),
  );
}

function found(call: Call): Text | undefined {
  if (follows(call)) return undefined;
  if (
    call.args.some(
      (arg) => /^-(?:printf|print0?f?|ls|exec)/.test(knownStart(arg)) && !/^-print0?$/.test(knownStart(arg)),
    )
  )
    return undefined;
  const starts = call.args.slice(0, startsCount(call.args));
  return pathsBelow(starts, foundBelow(call.args));
}

function startsCount(args: readonly Text[]): number {
  const at = args.findIndex((arg) => /^[-(!]/.test(knownStart(arg)));
  return at < 0 ? args.length : at;
}

/** One start folder gives one text. Several start folders are not followed. */
function pathsBelow(starts: readonly Text[], piece: Text = below): Text | undefined {
  if (starts.length > 1) return undefined;
  return concat(starts[0] ?? literal("."), piece);
}

/** The paths that `find` prints below a folder. They include links, unless `-type` selects files or folders. */
export function foundBelow(args: readonly Text[]): Text {
  const words = args.map((arg) => known(arg) ?? "");
  const type = words[words.indexOf("-type") + 1] ?? "";
  if (words.includes("-type") && /^[fd]+$/.test(type) && !words.includes("-o")) return below;
  const named = words.includes("-o") ? "*" : (words[words.indexOf("-name") + 1] ?? "*");
  return [{ kind: "below", links: words.includes("-name") ? named : "*" }];
}

function gitOutput(m: Machine, args: readonly (string | undefined)[]): Text | undefined {
  const [verb, ...rest] = args;
  if (verb === "rev-parse") {
    if (rest.length === 1 && rest[0] === "--show-toplevel") return literal(m.context.root);
    return rest.every((arg) => /^(?:--short(?:=\d+)?|--verify|-q|HEAD[~^\d]*)$/.test(arg ?? ""))
      ? anyName
      : undefined;
  }
  if (verb === "merge-base") return anyName;
  if (verb !== "ls-files" || rest.length > 1) return undefined;
  const folder = rest[0] ?? ".";
  return rest.length === 0 || (/^[\w./-]+$/.test(rest[0] ?? "") && !folder.startsWith("-"))
    ? concat(literal(folder), below)
    : undefined;
}
