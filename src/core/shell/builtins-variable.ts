import { assign, checkLoader } from "./assign.ts";
import type { Builtin, BuiltinCall } from "./builtins.ts";
import { runSubscript } from "./run-nested.ts";
import { splitLines, splitWords } from "./split-text.ts";
import { concat, known, knownStart, literal, type Text } from "./text.ts";
import { both, type Outcome, type World, withExported, withVariable, worldsMax } from "./world.ts";

/** Commands that set variables, options or parameters. */
export const variableBuiltins: Readonly<Record<string, Builtin>> = {
  export: (call) => exportNames(call, declare(call)),
  declare: (call) =>
    call.args.some((arg) => /^-\w*x/.test(knownStart(arg)))
      ? exportNames(call, declare(call))
      : declare(call),
  typeset: declare,
  local: declare,
  readonly: declare,
  unset: ({ args, world }) =>
    both(
      args.reduce((so, arg) => forget(so, known(arg)), world),
      [],
    ),
  set: setCommand,
  shift: ({ args, world }) => {
    const count = Number(known(args[0] ?? literal("1")) ?? Number.NaN);
    const wild = world.positional?.slice(0, count).some(isWild);
    const positional = Number.isInteger(count) && !wild ? world.positional?.slice(count) : undefined;
    return both({ ...world, positional }, []);
  },
  read: readCommand,
  mapfile: mapfileCommand,
  readarray: mapfileCommand,
  getopts: ({ args, world }) =>
    both(forget(withVariable(world, "OPTARG", "unknown"), known(args[1] ?? [])), []),
};

function declare({ m, args, world }: BuiltinCall): Outcome {
  let changed = world;
  for (const arg of args) {
    const start = knownStart(arg);
    const [, name, append] = /^([A-Za-z_]\w*(?:\[[^\]]*\])?)(\+?)=/.exec(start) ?? [];
    if (name === undefined) continue;
    const value = concat(literal(start.slice(name.length + (append ?? "").length + 1)), arg.slice(1));
    changed = assign(m, changed, name, append === "+" ? "unknown" : [value]);
  }
  return both(changed, []);
}

function isWild(text: Text): boolean {
  return text.some((piece) => piece.kind === "glob");
}

function exportNames({ args }: BuiltinCall, outcome: Outcome): Outcome {
  const names = args
    .map((arg) => /^[A-Za-z_]\w*/.exec(knownStart(arg))?.[0] ?? "")
    .filter((name) => name !== "");
  const change = (world: World) => withExported(world, names);
  return { ...outcome, ok: outcome.ok.map(change), fail: outcome.fail.map(change) };
}

function forget(world: World, name: string | undefined): World {
  return name === undefined || name.startsWith("-") ? world : withVariable(world, name, "unknown");
}

function setCommand({ args, world }: BuiltinCall): Outcome {
  const words = args.map((arg) => known(arg));
  const end = words.indexOf("--");
  const stops = words.some((word) => /^-\w*e/.test(word ?? "")) || words.includes("errexit");
  const resumes = words.some((word) => /^\+\w*e/.test(word ?? ""));
  const positional = end >= 0 ? args.slice(end + 1) : /^[-+]/.test(words[0] ?? "-") ? world.positional : args;
  const physical =
    world.physical || words.some((word) => /^-\w*P/.test(word ?? "")) || words.includes("physical");
  return both(
    { ...world, positional, physical, stopsOnError: resumes ? false : stops || world.stopsOnError },
    [],
  );
}

/** Each line that may be read makes a world of its own. */
function readCommand({ m, args, world, input }: BuiltinCall): Outcome {
  const names = readNames(args);
  for (const name of names) checkLoader(m, world, name, "unknown");
  for (const arg of args) runSubscript(m, arg, world);
  const lines = input.kind === "text" ? splitLines(input.text) : undefined;
  if (lines === undefined || lines.length > worldsMax) {
    const changed = names.reduce((so, name) => withVariable(so, name, "unknown"), world);
    return { ok: [changed], fail: [changed], out: [] };
  }
  const ok = lines.map((line) => assignWords(world, names, line));
  // At the end of its input, which a loop comes to, it empties the variables and fails.
  const ended = names.reduce((so, name) => withVariable(so, name, [[]]), world);
  const ends = ok.length === 0 || m.escapes.broken !== undefined;
  return { ok, fail: ends ? [ended] : [], out: [] };
}

function assignWords(world: World, names: readonly string[], line: Text): World {
  if (names.length === 1) return withVariable(world, names[0] as string, [line]);
  const words = splitWords(line);
  return names.reduce((so, name, index) => {
    const rest = words.slice(index);
    const value = index === names.length - 1 && rest.length > 1 ? "unknown" : ([rest[0] ?? []] as const);
    return withVariable(so, name, value);
  }, world);
}

function readNames(args: readonly Text[]): string[] {
  const names: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = known(args[at] as Text) ?? "";
    if (/^-\w*[dnNtupiaA]$/.test(word)) at += word.endsWith("a") ? 0 : 1;
    else if (/^[A-Za-z_]\w*$/.test(word)) names.push(word);
  }
  return names.length === 0 ? ["REPLY"] : names;
}

function mapfileCommand({ m, args, world, input }: BuiltinCall): Outcome {
  const callback = args.findIndex((arg) => known(arg) === "-C");
  if (callback >= 0) m.subshell(args[callback + 1] ?? [], world, input);
  const name =
    args.map((arg) => known(arg) ?? "").findLast((word) => /^[A-Za-z_]\w*$/.test(word)) ?? "MAPFILE";
  const lines = input.kind === "text" ? splitLines(input.text) : "unknown";
  return both(assign(m, world, name, lines), []);
}
