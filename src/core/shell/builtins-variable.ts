import { assign, checkLoader } from "./assign.ts";
import type { Builtin, BuiltinCall } from "./builtins.ts";
import { mapfileCommand, readCommand } from "./builtins-read.ts";
import { setCommand, shiftCommand, shoptCommand } from "./builtins-set.ts";
import type { Machine } from "./machine.ts";
import { runSubscript } from "./run-nested.ts";
import { concat, known, knownStart, literal, type Text } from "./text.ts";
import { both, mapWorlds, type Outcome, type World, withExported, withVariable } from "./world.ts";

/** Commands that set variables, options or parameters. */
export const variableBuiltins: Readonly<Record<string, Builtin>> = {
  export: (call) => exportNames(call, declare(call)),
  declare: declareLocally,
  typeset: declareLocally,
  local: declareLocally,
  readonly: (call) => {
    for (const name of namesOf(call.args)) call.m.constants.add(name);
    return declare(call);
  },
  unset: unsetCommand,
  set: setCommand,
  shift: shiftCommand,
  shopt: shoptCommand,
  read: readCommand,
  mapfile: mapfileCommand,
  readarray: mapfileCommand,
  getopts: ({ m, args, world }) => {
    const name = known(args[1] ?? []) ?? "_";
    checkLoader(m, world, name, "unknown");
    return both(withVariable(withVariable(world, "OPTARG", "unknown"), name, "unknown"), []);
  },
};

/** Inside a function these names are local: they get their old values back when it ends. */
function declareLocally(call: BuiltinCall): Outcome {
  const { m, args, world } = call;
  const options = args.map((arg) => known(arg) ?? "").filter((word) => /^[-+]/.test(word));
  const names = namesOf(args);
  const isGlobal = options.some((option) => /g/.test(option));
  if (options.some((option) => /[nluc]/.test(option)) || (isGlobal && m.escapes.locals !== undefined))
    m.report.refuse(
      "unparsed",
      "the command declares a variable in a way that is not followed: use a plain assignment",
    );
  if (options.some((option) => /f/.test(option) && /x/.test(option))) refuseFunction(call);
  if (options.some((option) => /r/.test(option))) for (const name of names) m.constants.add(name);
  if (!isGlobal) for (const name of names) m.escapes.locals?.add(name);
  const cleared =
    m.escapes.locals === undefined
      ? world
      : names.reduce((current, name) => withVariable(current, name, "unset"), world);
  const outcome = declare({ ...call, world: cleared });
  if (options.some((option) => /i/.test(option))) {
    for (const name of names) m.integers.add(name);
    for (const arg of args) runSubscript(m, arg, world);
  }
  const changed = options.some((option) => /[luicaA]/.test(option))
    ? mapWorlds(outcome, (declared) => forgetAll(declared, names))
    : outcome;
  return options.some((option) => /x/.test(option)) ? exportNames(call, changed) : changed;
}

function declare({ m, args, world }: BuiltinCall): Outcome {
  let changed = world;
  for (const arg of args) {
    const start = knownStart(arg);
    const [, name, append] = /^([A-Za-z_]\w*(?:\[[^\]]*\])?)(\+?)=/.exec(start) ?? [];
    if (name === undefined) continue;
    const value = concat(literal(start.slice(name.length + (append ?? "").length + 1)), arg.slice(1));
    changed = assign(m, changed, name, append === "+" ? "unknown" : [value]);
  }
  // Without a name or a value they print variables.
  const prints =
    args.every((arg) => /^[-+]/.test(knownStart(arg))) ||
    args.some((arg) => /^-\w*[pfF]/.test(knownStart(arg)));
  return both(changed, prints ? undefined : []);
}

function exportNames(call: BuiltinCall, outcome: Outcome): Outcome {
  if (call.args.some((arg) => /^-\w*f/.test(knownStart(arg)))) refuseFunction(call);
  return mapWorlds(outcome, (world) => withExported(world, namesOf(call.args)));
}

function refuseFunction({ m }: BuiltinCall): void {
  m.report.refuse(
    "loader",
    "the command exports a function, which every shell started later would run as a command: define the function in the inner script",
  );
}

/** An unset function may uncover the program of the same name. */
function unsetCommand({ m, args, world }: BuiltinCall): Outcome {
  for (const arg of args) runSubscript(m, arg, world);
  const names = namesOf(args);
  const functions = new Map(world.functions);
  for (const name of names) if (functions.has(name)) functions.set(name, null);
  return both(
    { ...names.reduce((current, name) => withoutVariable(m, current, name), world), functions },
    [],
  );
}

/** Inside a function, `unset` may uncover an outer variable of the same name. A constant keeps its value. */
function withoutVariable(m: Machine, world: World, name: string): World {
  const certain = m.escapes.locals === undefined && !m.constants.has(name) && !world.functions.has(name);
  return withVariable(world, name, certain ? "unset" : "unknown");
}

function namesOf(args: readonly Text[]): string[] {
  return args.flatMap((arg) => /^[A-Za-z_]\w*/.exec(knownStart(arg))?.[0] ?? []);
}

function forgetAll(world: World, names: readonly string[]): World {
  return names.reduce((current, name) => withVariable(current, name, "unknown"), world);
}
