import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { checkoutsFolder } from "../state/state-home.ts";
import { isBelow } from "./plan-mounts.ts";

export interface ToolCache {
  readonly variable: string;
  /** The tool's default path for it, below the home. */
  readonly own: string;
  /** The only parts that are kept; the rest is settings or programs. */
  readonly parts?: readonly string[];
  /** The user's settings files in it. */
  readonly settings?: readonly string[];
  /** The programs whose setups fill it for checks. Without any, every check gets an empty one. */
  readonly filledBy?: readonly string[];
  /** The value of the variable for a folder; without it, the folder itself. */
  readonly value?: (folder: string) => string;
}

export const toolCaches: readonly ToolCache[] = [
  { variable: "XDG_CACHE_HOME", own: ".cache" },
  { variable: "npm_config_cache", own: ".npm", parts: ["_cacache"] },
  { variable: "BUN_INSTALL_CACHE_DIR", own: ".bun/install/cache" },
  { variable: "YARN_GLOBAL_FOLDER", own: ".yarn/berry", filledBy: ["yarn"] },
  { variable: "COREPACK_HOME", own: ".cache/node/corepack", filledBy: ["yarn", "pnpm"] },
  {
    variable: "CARGO_HOME",
    own: ".cargo",
    parts: ["registry", "git"],
    settings: ["config.toml", "config", "credentials.toml", "credentials"],
    filledBy: ["cargo"],
  },
  { variable: "GOPATH", own: "go" },
  { variable: "GOMODCACHE", own: "go/pkg/mod", filledBy: ["go"] },
  { variable: "GRADLE_USER_HOME", own: ".gradle" },
  {
    ...{ variable: "MAVEN_OPTS", own: ".m2/repository" },
    value: (folder) => `-Dmaven.repo.local=${folder}`,
  },
];
export const pnpmStore: ToolCache = { variable: "npm_config_store_dir", own: ".local/share/pnpm/store" };

/** Any other program that sets up a tree may be a script that runs several of these. */
const managers = ["npm", "pnpm", "yarn", "bun", "uv", "poetry", "bundle", "composer", "cargo", "go"];

interface CachesFor {
  readonly commonFolder: string;
  /** A new private folder for this run. */
  readonly temporary: string;
  /** Paths below the home that the user opened to the sandbox. */
  readonly opened: readonly string[];
  readonly purpose: "check" | "setup";
  readonly setup: CacheUser;
}

/** The setup of the tree. */
export interface CacheUser {
  readonly programs: readonly string[];
  /** True if it may run code of the tree; it then has separate caches. */
  readonly runsTree: boolean;
}

export interface OpenedCaches {
  readonly writable: readonly string[];
  readonly readOnly: readonly string[];
  /** The variables that name the caches; `inside` is the path of the private folder in the sandbox. */
  env(inside: string): Readonly<Record<string, string>>;
}

/**
 * Caches that replace the user's own, because programs outside the sandbox read those. Each setup program fills its own
 * caches, and they are kept. Checks only read them, so no check sees files that another check left there.
 */
export function openCaches(asked: CachesFor): OpenedCaches {
  const { purpose, temporary, opened } = asked;
  const programs = asked.setup.programs.map((program) => basename(program).replace(/[^A-Za-z0-9_-]/g, "_"));
  const isOpened = ({ own }: ToolCache) => opened.some((path) => path === own || isBelow(path, own));
  // npm warns about this variable, which only pnpm knows.
  const known = purpose === "setup" && programs[0] === "pnpm" ? [...toolCaches, pnpmStore] : toolCaches;
  const stores = new Stores(asked);
  const used = known
    .filter((cache) => !isOpened(cache))
    .map((cache) => {
      const fillers = programs.filter((one) => purpose === "setup" || fills(one, cache));
      const store = cache.parts === undefined ? stores.find(fillers, cache.own) : undefined;
      const folder = store ?? join(temporary, cache.own);
      // Tools create their caches themselves; scripts expect `.cache` to exist.
      if (cache.own === ".cache") mkdirSync(folder, { recursive: true, mode: 0o700 });
      for (const part of cache.parts ?? [])
        link(stores.find(fillers, `${cache.own}/${part}`), join(folder, part));
      for (const name of [...(cache.settings ?? []), ...openedIn(cache, opened)])
        link(join(homedir(), cache.own, name), join(folder, name));
      return { ...cache, store };
    });
  return {
    writable: purpose === "setup" ? stores.folders() : [],
    readOnly: purpose === "setup" ? [] : stores.folders(),
    env: (inside) => ({
      // Otherwise the environment is in the cache, where a check does not see it.
      POETRY_VIRTUALENVS_IN_PROJECT: "true",
      ...Object.fromEntries(
        used.map(({ variable, own, store = join(inside, own), value }) => [
          variable,
          value?.(store) ?? store,
        ]),
      ),
    }),
  };
}

function fills(program: string, { filledBy = [] }: ToolCache): boolean {
  return filledBy.includes(program) || (filledBy.length > 0 && !managers.includes(program));
}

/** Opened paths directly in the cache. A folder in between could be a link that code of a branch left. */
function openedIn({ own }: ToolCache, opened: readonly string[]): readonly string[] {
  return opened.filter((path) => dirname(path) === own).map((path) => basename(path));
}

function link(target: string | undefined, at: string): void {
  if (target === undefined || !existsSync(target)) return;
  if (lstatSync(at, { throwIfNoEntry: false }) !== undefined) return;
  mkdirSync(dirname(at), { recursive: true, mode: 0o700 });
  symlinkSync(target, at);
}

/** The caches that setups filled: one folder per program, with one folder per cache. Code of branches can write there. */
class Stores {
  readonly #caches: string;
  readonly #purpose: "check" | "setup";
  readonly #used = new Set<string>();

  constructor({ commonFolder, purpose, setup }: CachesFor) {
    const kind = setup.runsTree ? "by-trees" : "by-packages";
    this.#caches = join(realpathSync.native(checkoutsFolder(commonFolder)), "caches", kind);
    this.#purpose = purpose;
  }

  /** The cache of the first program that has it. For a check, empty caches are skipped. */
  find(programs: readonly string[], cache: string): string | undefined {
    for (const program of programs) {
      const store = join(this.#caches, program, cache.replaceAll("/", "-"));
      if (this.#purpose === "setup") makeFolder(store);
      if (this.#purpose === "check" && !isFilled(store)) continue;
      this.#used.add(dirname(store));
      return store;
    }
    return undefined;
  }

  folders(): readonly string[] {
    return [...this.#used];
  }
}

function makeFolder(store: string): void {
  mkdirSync(dirname(store), { recursive: true, mode: 0o700 });
  chmodSync(dirname(store), 0o700);
  if (!isFolder(store)) rmSync(store, { force: true });
  mkdirSync(store, { recursive: true, mode: 0o700 });
  chmodSync(store, 0o700);
}

function isFilled(store: string): boolean {
  if (isFolder(dirname(store))) chmodSync(dirname(store), 0o700);
  if (!isFolder(store)) return false;
  chmodSync(store, 0o700);
  return readdirSync(store).length > 0;
}

/** False for a link, which could lead anywhere. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
