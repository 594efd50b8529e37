import type { Function as FunctionNode } from "unbash";
import { agreedDescriptors, type Descriptors, sameDescriptors } from "./descriptors.ts";
import { sameText, type Text } from "./text.ts";

/** The state of a running shell at one moment. Immutable. */
export interface World {
  /** Absolute; undefined if unknown. */
  readonly cwd: string | undefined;
  readonly previous: string | undefined;
  readonly stack: readonly (string | undefined)[];
  readonly variables: ReadonlyMap<string, Value>;
  /** Whether variables that the command does not set have the caller's values. */
  readonly inherits: boolean;
  /** Variables that are passed to programs. */
  readonly exported: ReadonlySet<string>;
  /** null: defined in more than one way. */
  readonly functions: ReadonlyMap<string, FunctionNode["body"] | null>;
  readonly aliases: ReadonlyMap<string, Text>;
  readonly positional: readonly Text[] | undefined;
  readonly stopsOnError: boolean;
  /** Folders that the command has certainly made. */
  readonly folders: ReadonlySet<string>;
  readonly descriptors: Descriptors;
  /** `cd` resolves links, as with `set -P`. */
  readonly physical: boolean;
}

/** A scalar has one item. */
export type Value = readonly Text[] | "unknown" | "unset";

/** The possible worlds after a command succeeds and after it fails; empty if that cannot happen. */
export interface Outcome {
  readonly ok: readonly World[];
  readonly fail: readonly World[];
  /** The output; undefined if unknown. */
  readonly out: Text | undefined;
}

export const worldsMax = 8;

export function both(world: World, out: Text | undefined = undefined): Outcome {
  return { ok: [world], fail: [world], out };
}

export function succeeds(world: World, out: Text | undefined = []): Outcome {
  return { ok: [world], fail: [], out };
}

export function mapWorlds(outcome: Outcome, change: (world: World) => World): Outcome {
  return { ...outcome, ok: outcome.ok.map(change), fail: outcome.fail.map(change) };
}

export function withVariable(world: World, name: string, value: Value): World {
  const variables = new Map(world.variables);
  variables.set(name, value);
  return { ...world, variables };
}

/** Usually exported before the command starts, and therefore exported even if the command changes them. */
const usuallySet = new Set("HOME TMPDIR USER LOGNAME HOSTNAME COLUMNS LINES".split(" "));

/** The world of a shell started from here: it gets only exported variables. */
export function childWorld(world: World, positional: readonly Text[]): World {
  const variables = new Map<string, Value>();
  for (const [name, value] of world.variables) {
    if (world.exported.has(name)) variables.set(name, value);
    else if (usuallySet.has(name)) variables.set(name, "unknown");
  }
  return {
    ...world,
    variables,
    positional,
    functions: new Map(),
    aliases: new Map(),
    stopsOnError: false,
    physical: false,
  };
}

/** For programs that start others with a separate environment: no variable of the old one is reliable. */
export function withoutEnvironment(world: World): World {
  return { ...world, inherits: false, exported: new Set() };
}

export function withExported(world: World, names: readonly string[]): World {
  return names.length === 0 ? world : { ...world, exported: new Set([...world.exported, ...names]) };
}

/** `cd` sets PWD and OLDPWD and overwrites earlier assignments. */
export function withCwd(world: World, cwd: string | undefined): World {
  return { ...withoutFolders(world), cwd, previous: world.cwd };
}

function withoutFolders(world: World): World {
  if (!world.variables.has("PWD") && !world.variables.has("OLDPWD")) return world;
  const variables = new Map(world.variables);
  variables.delete("PWD");
  variables.delete("OLDPWD");
  return { ...world, variables };
}

/** Drops duplicate worlds. If too many differ, keeps one world with only the facts that all share. */
export function distinct(worlds: readonly World[]): readonly World[] {
  if (worlds.length < 2) return worlds;
  const kept: World[] = [];
  for (const world of worlds) {
    if (kept.some((other) => sameWorld(other, world))) continue;
    kept.push(world);
    if (kept.length > worldsMax) return [worlds.reduce(agreed)];
  }
  return kept;
}

/** A world with only the facts that both share. */
export function agreed(a: World, b: World): World {
  const variables = new Map<string, Value>();
  for (const name of new Set([...a.variables.keys(), ...b.variables.keys()])) {
    const value = a.variables.get(name);
    variables.set(name, sameValue(value, b.variables.get(name)) && value !== undefined ? value : "unknown");
  }
  return {
    cwd: a.cwd === b.cwd ? a.cwd : undefined,
    previous: a.previous === b.previous ? a.previous : undefined,
    stack: a.stack === b.stack ? a.stack : [],
    variables,
    inherits: a.inherits && b.inherits,
    exported: new Set([...a.exported].filter((name) => b.exported.has(name))),
    functions: agreedFunctions(a, b),
    aliases: new Map([...a.aliases, ...b.aliases]),
    positional: a.positional === b.positional ? a.positional : undefined,
    stopsOnError: a.stopsOnError && b.stopsOnError,
    physical: a.physical || b.physical,
    descriptors: agreedDescriptors(a.descriptors, b.descriptors),
    folders: new Set([...a.folders].filter((folder) => b.folders.has(folder))),
  };
}

function agreedFunctions(a: World, b: World): World["functions"] {
  if (a.functions === b.functions) return a.functions;
  const functions = new Map<string, FunctionNode["body"] | null>();
  for (const name of new Set([...a.functions.keys(), ...b.functions.keys()])) {
    const body = a.functions.get(name);
    functions.set(name, body !== undefined && body === b.functions.get(name) ? body : null);
  }
  return functions;
}

export function sameWorld(a: World, b: World): boolean {
  return (
    a === b ||
    (a.cwd === b.cwd &&
      a.previous === b.previous &&
      a.stack === b.stack &&
      a.functions === b.functions &&
      a.inherits === b.inherits &&
      sameNames(a.exported, b.exported) &&
      sameNames(a.folders, b.folders) &&
      sameDescriptors(a.descriptors, b.descriptors) &&
      a.aliases === b.aliases &&
      a.positional === b.positional &&
      a.stopsOnError === b.stopsOnError &&
      a.physical === b.physical &&
      sameVariables(a.variables, b.variables))
  );
}

function sameNames(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a === b || (a.size === b.size && [...a].every((name) => b.has(name)));
}

function sameVariables(a: World["variables"], b: World["variables"]): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [name, value] of a) if (!sameValue(value, b.get(name))) return false;
  return true;
}

function sameValue(a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true;
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return a.every((item, index) => sameText(item, b[index] as Text));
}

/** The union of several possible outcomes. */
export function combine(outcomes: readonly Outcome[]): Outcome {
  const [first] = outcomes;
  if (first === undefined) return { ok: [], fail: [], out: undefined };
  if (outcomes.length === 1) return first;
  const { out } = first;
  const agree = outcomes.every(
    (outcome) => out !== undefined && outcome.out !== undefined && sameText(out, outcome.out),
  );
  return {
    ok: distinct(outcomes.flatMap((outcome) => outcome.ok)),
    fail: distinct(outcomes.flatMap((outcome) => outcome.fail)),
    out: agree ? out : undefined,
  };
}

/** Restores the caller's values of a function's local variables. */
export function withoutLocals(world: World, locals: ReadonlySet<string>, caller: World): World {
  if (locals.size === 0) return world;
  const variables = new Map(world.variables);
  for (const name of locals) {
    const before = caller.variables.get(name);
    if (before === undefined) variables.delete(name);
    else variables.set(name, before);
  }
  return { ...world, variables };
}
