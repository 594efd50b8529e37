import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { removeFolder } from "../files/remove-folder.ts";
import { checkoutsFolder } from "../state/state-home.ts";
import { isBelow } from "./plan-mounts.ts";
import { pnpmStore, type ToolCache, toolCaches } from "./tool-caches.ts";

/** PNPM_HOME instead of `npm_config_store_dir`, because npm warns about that variable. */
const caches: readonly ToolCache[] = [
  ...toolCaches,
  { variable: "PNPM_HOME", own: pnpmStore.own, value: dirname },
];

/** The parts of these folders that are caches. The rest is programs and settings that the user's tools would run or read. */
const cacheParts: Readonly<Record<string, readonly string[]>> = {
  ".cache": [
    ...["Cypress", "bazel", "ccache", "composer", "deno", "electron", "go-build", "ms-playwright"],
    ...["node-gyp", "pip", "pnpm", "puppeteer", "pypoetry", "ruff", "sccache", "typescript", "uv", "yarn"],
  ],
  ".cargo": ["registry", "git"],
  ".gradle": ["caches", "wrapper"],
  go: [],
};

interface CacheOwner {
  readonly commonFolder: string;
  /** The task, or the agent if it has no task. */
  readonly owner: string;
}

interface PersonCaches {
  /** The user's own caches, below the home. */
  readonly writable: readonly string[];
  /** The folder with the agent's own caches. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The user's caches for a command of the user's own agent. A folder that is a cache as a whole is used directly. For a
 * folder that is only partly a cache, or does not exist yet, the tool gets a folder of the agent's own with links to the
 * cache parts. No other agent reads what the tool writes next to these links, such as settings.
 */
export function personCaches(home: string, owner: CacheOwner): PersonCaches {
  const isThere = (path: string) => existsSync(join(home, path));
  const isWhole = ({ own }: ToolCache) => cacheParts[own] === undefined && isThere(own);
  const below = (own: string, names: readonly string[] = []) =>
    names.map((name) => `${own}/${name}`).filter(isThere);
  const apart = caches.filter((cache) => !isWhole(cache));
  const parts = apart.flatMap(({ own }) => below(own, cacheParts[own]));
  const settings = apart.flatMap((cache) => below(cache.own, cache.settings));
  const whole = caches.filter(isWhole).map(({ own }) => own);
  const folder = openApart(owner, {
    folders: apart.map(({ own }) => own),
    links: [...parts, ...settings].map((path) => [path, join(home, path)]),
  });
  const named = caches.flatMap(({ own, variable, value }): [string, string][] => {
    const isMoved = apart.some((one) => one.own === own || isBelow(one.own, own));
    const path = join(whole.includes(own) ? home : folder, own);
    return isMoved ? [[variable, value?.(path) ?? path]] : [];
  });
  return {
    writable: [...parts, ...whole].map((path) => join(home, path)),
    folder,
    env: Object.fromEntries(named),
  };
}

interface Apart {
  readonly folders: readonly string[];
  readonly links: readonly (readonly [path: string, target: string])[];
}

/**
 * The folder is created once and never changed from outside the sandbox, because the agent may have left a link in it
 * that leads anywhere. If its content has to differ, for example because the user has new settings, it gets another name.
 */
function openApart({ commonFolder, owner }: CacheOwner, apart: Apart): string {
  const all = join(realpathSync.native(checkoutsFolder(commonFolder)), "caches", "by-agents");
  const name = createHash("sha256")
    .update(JSON.stringify([owner, apart]))
    .digest("hex")
    .slice(0, 16);
  const folder = join(all, name);
  if (!existsSync(folder)) makeApart(folder, apart);
  chmodSync(folder, 0o700); // so that `lockstep clean` sees that it is used
  return folder;
}

function makeApart(folder: string, { folders, links }: Apart): void {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  const making = mkdtempSync(`${folder}-`);
  for (const path of folders) mkdirSync(join(making, path), { recursive: true, mode: 0o700 });
  for (const [path, target] of links) symlinkSync(target, join(making, path));
  try {
    renameSync(making, folder);
  } catch (error) {
    removeFolder(making);
    if (!existsSync(folder)) throw error; // otherwise another process has created it
  }
}
