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
  fd: ({ call }) => (follows(call) ? undefined : pathsBelow(operandsOf(call).slice(1))),
  ls: ({ call }) => (call.args.every((arg) => /^-[1Aa]+$/.test(knownStart(arg))) ? anyName : undefined),
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

/** Links are resolved when the path is judged; one that the command itself makes is not there yet. */
function existingPath(m: Machine, call: Call, world: World): Text | undefined {
  const last = operandsOf(call).at(-1);
  return last === undefined || m.report.makesLinks ? undefined : absoluteText(last, world.cwd);
}

/** A program lies in some folder of the system; its name is what matters. */
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

function lists(call: Call, flag: string): boolean {
  if (follows(call)) return false;
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

/** One start folder gives one text; several would have to be told apart, and are not. */
function pathsBelow(starts: readonly Text[], piece: Text = below): Text | undefined {
  if (starts.length > 1) return undefined;
  return concat(starts[0] ?? literal("."), piece);
}

/** What `find` prints below a folder: links too, unless it is told to look for files or folders. */
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
