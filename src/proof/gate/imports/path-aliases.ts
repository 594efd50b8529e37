import { readJson } from "../reading/read-json.ts";
import type { SourceTree } from "../source-tree.ts";
import { middleOf } from "./package-map.ts";
import { below, folderOf, foldersAbove, pathFrom } from "./tree-files.ts";

/** What the tsconfig and jsconfig files above a script make of names that are no paths. */
export interface AliasSet {
  readonly paths: readonly { readonly pattern: string; readonly targets: readonly string[] }[];
  /** Folders in which every name is looked for. */
  readonly baseUrls: readonly string[];
}

const extendsMax = 8;
const aliasesMax = 500;
const configName = /^(?:ts|js)config(?:[.-][\w.-]+)?\.json$/;

/**
 * Every tsconfig of a folder counts, not only the one that governs a script: which that is depends on
 * `include`, `references` and the tool, and one that knows the name is enough.
 */
export class PathAliases {
  readonly #tree: SourceTree;
  readonly #configs = new Map<string, string[]>();
  readonly #known = new Map<string, AliasSet>();
  readonly #above = new Map<string, AliasSet>();

  constructor(tree: SourceTree) {
    this.#tree = tree;
    for (const path of tree.paths()) {
      if (!configName.test(path.slice(path.lastIndexOf("/") + 1))) continue;
      const folder = folderOf(path);
      this.#configs.set(folder, [...(this.#configs.get(folder) ?? []), path]);
    }
    tree.load([...this.#configs.values()].flat());
  }

  /** True for a folder with aliases of its own. */
  isIn(folder: string): boolean {
    return this.#configs.has(folder);
  }

  /** The paths that the aliases above a script give a name, the best first; and whether any alias had it. */
  candidates(
    specifier: string,
    from: string,
  ): { readonly paths: readonly string[]; readonly aliased: boolean } {
    const { paths: patterns, baseUrls } = this.#allAbove(from);
    const paths: string[] = [];
    let aliased = false;
    for (const { pattern, targets } of patterns) {
      const middle = pattern === specifier ? "" : middleOf(pattern, specifier);
      if (middle === undefined) continue;
      aliased ||= pattern !== "*";
      paths.push(...targets.map((target) => target.replace("*", () => middle)));
    }
    const rooted = baseUrls.flatMap((folder) => pathFrom(folder, specifier) ?? []);
    return { paths: [...paths, ...rooted], aliased };
  }

  #allAbove(path: string): AliasSet {
    const known = this.#above.get(folderOf(path));
    if (known !== undefined) return known;
    const sets = foldersAbove(path).map((folder) => this.#in(folder));
    const set = {
      paths: sets.flatMap((one) => one.paths).toSorted(byPrefix),
      baseUrls: sets.flatMap((one) => one.baseUrls),
    };
    this.#above.set(folderOf(path), set);
    return set;
  }

  #in(folder: string): AliasSet {
    const known = this.#known.get(folder);
    if (known !== undefined) return known;
    const sets = (this.#configs.get(folder) ?? []).map((path) => this.#read(path, extendsMax));
    const set = { paths: sets.flatMap((one) => one.paths), baseUrls: sets.flatMap((one) => one.baseUrls) };
    this.#known.set(folder, set);
    return set;
  }

  #read(path: string, depth: number): AliasSet {
    const result = readJson(this.#tree.text(path) ?? "", { comments: true });
    const nothing = { paths: [], baseUrls: [] };
    if ("fault" in result || depth === 0) return nothing;
    const { extends: parents, compilerOptions } = (result.document ?? {}) as Config;
    const folder = folderOf(path);
    const inherited = [parents]
      .flat()
      .flatMap((parent) =>
        typeof parent === "string" && parent.startsWith(".") ? this.#parent(folder, parent) : [],
      )
      .map((parent) => this.#read(parent, depth - 1));
    const own = readOptions(compilerOptions ?? {}, folder);
    return {
      paths: own.paths.length > 0 ? own.paths : inherited.flatMap((one) => one.paths),
      baseUrls: own.baseUrls.length > 0 ? own.baseUrls : inherited.flatMap((one) => one.baseUrls),
    };
  }

  #parent(folder: string, parent: string): string[] {
    const path = pathFrom(folder, parent);
    const named = path === undefined ? [] : [path, `${path}.json`, below(path, "tsconfig.json")];
    return named.filter((one) => this.#tree.text(one) !== undefined).slice(0, 1);
  }
}

interface Config {
  readonly extends?: unknown;
  readonly compilerOptions?: { readonly baseUrl?: unknown; readonly paths?: unknown };
}

function readOptions({ baseUrl, paths }: NonNullable<Config["compilerOptions"]>, folder: string): AliasSet {
  const here = (text: string) => text.replace(/\$\{configDir\}/, ".");
  const base = typeof baseUrl === "string" ? pathFrom(folder, here(baseUrl)) : undefined;
  const entries =
    typeof paths === "object" && paths !== null ? Object.entries(paths).slice(0, aliasesMax) : [];
  return {
    baseUrls: base === undefined ? [] : [base],
    paths: entries.map(([pattern, targets]) => ({
      pattern,
      targets: [targets]
        .flat()
        .flatMap((target) =>
          typeof target === "string" ? (pathFrom(base ?? folder, here(target)) ?? []) : [],
        ),
    })),
  };
}

/** The longest text before the `*` wins, as in TypeScript. */
function byPrefix(a: { readonly pattern: string }, b: { readonly pattern: string }): number {
  const length = ({ pattern }: { readonly pattern: string }) =>
    pattern.includes("*") ? pattern.indexOf("*") : Infinity;
  const [left, right] = [length(a), length(b)];
  return left === right ? 0 : right - left;
}
