import type { ApiFacts, Mount, Range } from "./api-facts.ts";
import type { Endpoint } from "./endpoint.ts";
import { opened, routeSegments, serves, wideGap } from "./url-path.ts";

/** The facts of each script, and how its imports resolve. */
export interface ScriptFacts {
  of(path: string): ApiFacts;
  resolve(specifier: string, from: string): string | undefined;
}

const depthMax = 5;
/** The maximum number of modules that re-export a router, one from the other. */
const passedMax = 3;
const prefixesMax = 64;
const filesMax = 64;

type Target = { readonly file: string } | { readonly receiver: string } | { readonly range: Range };

/**
 * The full paths of routes: a route's own, below what its router begins with, below every path at which that
 * router, the function it stands in, or its file is mounted.
 */
export class MountedRoutes {
  readonly #facts: ScriptFacts;
  readonly #paths: readonly string[];
  readonly #onFile = new Map<string, { readonly from: string; readonly mount: Mount }[]>();
  readonly #within = new Map<string, { readonly mount: Mount; readonly target: Target }[]>();
  readonly #idle: { readonly from: string; readonly mount: Mount }[] = [];

  constructor(paths: readonly string[], facts: ScriptFacts) {
    this.#paths = paths;
    this.#facts = facts;
    for (const from of paths)
      for (const mount of facts.of(from).mounts) {
        const targets = this.#targetsOf(mount, from);
        if (targets.length === 0) this.#idle.push({ from, mount });
        for (const target of targets)
          if ("file" in target) push(this.#onFile, target.file, { from, mount });
          else push(this.#within, from, { mount, target });
      }
  }

  endpoints(): Endpoint[] {
    const found = this.#paths.flatMap((path) => {
      const { routes } = this.#facts.of(path);
      return routes.flatMap(({ method, line, path: pattern, receiver, start }) =>
        this.#prefixes(path, receiver, start, depthMax)
          .flatMap((prefix) => routeSegments(joined(prefix, pattern)))
          // A route for all paths delivers the web client; it is not an endpoint of the API.
          .filter(([first, ...rest]) => first !== wideGap || rest.length > 0)
          .map((segments) => ({ method, segments, path, line })),
      );
    });
    return [...found, ...this.#opaque(found)];
  }

  /**
   * A mounted thing whose source is unknown serves everything below its path, unless there are routes below it: then
   * it only passes requests on.
   */
  #opaque(known: readonly Endpoint[]): Endpoint[] {
    return this.#idle.flatMap(({ from, mount: { prefix, receiver, start, line } }) => {
      if (prefix === "" || prefix === "/") return [];
      return this.#prefixes(from, receiver, start, depthMax)
        .flatMap((above) => routeSegments(joined(above, prefix)))
        .map((segments) => ({ method: undefined, segments: [...segments, wideGap], path: from, line }))
        .filter(
          ({ segments }) => segments[0] !== wideGap && !known.some((one) => serves(segments, one.segments)),
        );
    });
  }

  #prefixes(path: string, receiver: string, start: number, depth: number): string[] {
    const own = this.#facts.of(path).routers.get(receiver) ?? "";
    const inside = this.#prefixesWithin(path, receiver, start, depth);
    return bounded(
      this.#prefixesOf(path, depth).flatMap((outer) => inside.map((inner) => joined(outer, inner, own))),
    );
  }

  /** The paths at which other files mount this file. */
  #prefixesOf(path: string, depth: number): string[] {
    const mounts = this.#onFile.get(path) ?? [];
    if (mounts.length === 0 || depth === 0) return [""];
    const prefixes = mounts.flatMap(({ from, mount: { prefix, receiver, start } }) =>
      this.#prefixes(from, receiver, start, depth - 1).map((above) => joined(above, prefix)),
    );
    return bounded(prefixes);
  }

  /** Where the router, or the innermost function around a place, is mounted in its own file. */
  #prefixesWithin(path: string, receiver: string, start: number, depth: number): string[] {
    if (depth === 0) return [""];
    const all = this.#within.get(path) ?? [];
    const around = all
      .filter(({ target }) => "range" in target && target.range.start <= start && start < target.range.end)
      .toSorted((a, b) => widthOf(a.target) - widthOf(b.target));
    const named = all.filter(
      ({ target, mount }) =>
        "receiver" in target && target.receiver === receiver && mount.receiver !== receiver,
    );
    const narrowest = around.filter(({ target }) => widthOf(target) === widthOf(around[0]?.target));
    const mounts = [...narrowest, ...named].map(({ mount }) => mount);
    if (mounts.length === 0) return [""];
    const prefixes = mounts.flatMap((mount) => {
      const own = this.#facts.of(path).routers.get(mount.receiver) ?? "";
      const above = this.#prefixesWithin(path, mount.receiver, mount.start, depth - 1);
      return above.map((one) => joined(one, own, mount.prefix));
    });
    return bounded(prefixes);
  }

  #targetsOf({ targets }: Mount, from: string): Target[] {
    const { imports, functions, routes, mounts } = this.#facts.of(from);
    const holds = ({ start, end }: Range) =>
      [...routes, ...mounts].some((one) => start <= one.start && one.start < end);
    return targets.flatMap((target): Target[] => {
      if ("range" in target) return holds(target.range) ? [target] : [];
      const specifier = "specifier" in target ? target.specifier : imports.get(target.name);
      if (specifier !== undefined) {
        const wanted = "name" in target ? (target.member ?? target.name) : undefined;
        return this.#filesBehind({ specifier, wanted }, from, passedMax).map((file) => ({ file }));
      }
      if (!("name" in target)) return [];
      const range = functions.get(target.name);
      if (range !== undefined) return holds(range) ? [{ range }] : [];
      const isRouter = [...routes, ...mounts].some(({ receiver }) => receiver === target.name);
      return isRouter ? [{ receiver: target.name }] : [];
    });
  }

  /**
   * The file of a module if it has routes; else, of the modules that it only passes on, the one that the wanted
   * name comes from, or all of them.
   */
  #filesBehind(
    { specifier, wanted }: { specifier: string; wanted: string | undefined },
    from: string,
    depth: number,
  ): string[] {
    const file = this.#facts.resolve(specifier, from);
    if (file === undefined || depth === 0) return [];
    const { routes, mounts, specifiers, functions, imports } = this.#facts.of(file);
    if (routes.length > 0 || mounts.length > 0) return [file];
    if (functions.size > 0) return [];
    const source = wanted === undefined ? undefined : imports.get(wanted);
    const passed = source === undefined ? specifiers.filter((one) => one.startsWith(".")) : [source];
    return passed
      .slice(0, filesMax)
      .flatMap((one) => this.#filesBehind({ specifier: one, wanted }, file, depth - 1))
      .slice(0, filesMax);
  }
}

/** A router that is mounted at too many places may be anywhere. */
function bounded(prefixes: readonly string[]): string[] {
  const different = [...new Set(prefixes)];
  return different.length > prefixesMax ? [wideGap] : different;
}

function joined(...parts: readonly string[]): string {
  return parts
    .map(opened)
    .filter((part) => part !== "")
    .join("/");
}

function widthOf(target: Target | undefined): number {
  return target !== undefined && "range" in target ? target.range.end - target.range.start : 0;
}

function push<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
