import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { checkWalls, usableHome } from "../../workspace/sandbox/check-walls.ts";
import type { Walls } from "../../workspace/sandbox/sandbox.ts";
import { personCaches } from "../../workspace/sandbox/tool-caches.ts";

interface LockPlaces {
  /** The main checkout. */
  readonly root: string;
  readonly commonFolder: string;
  /** The checkout that the command works in: the main one or a linked one. */
  readonly tree: string;
  /** Absolute paths in it that are read-only. */
  readonly closed: readonly string[];
}

interface LockWalls {
  readonly walls: Walls;
  readonly env: Readonly<Record<string, string>>;
}

/** People's own git settings, so that scripts which ask git get the answers that they are used to. */
const gitSettings = [".gitconfig", ".config/git"];

/**
 * Around a command of a person's own agent, in the checkout that the person works in: the lock and ignored output can
 * be written, and so can temporary files and the caches of package managers, as outside. The rest is read-only.
 */
export function lockWalls({ root, commonFolder, tree, closed }: LockPlaces): LockWalls {
  const walls = checkWalls({ root, commonFolder, checkout: tree, temporary: "/tmp", home: [] }, "set-up");
  const home = usableHome();
  const caches = home === undefined ? { writable: [], env: {} } : personCaches(home);
  const settings = home === undefined ? [] : gitSettings.map((name) => join(home, name)).filter(existsSync);
  return {
    walls: {
      ...walls,
      readOnly: [...walls.readOnly.filter((path) => path !== tree && existsSync(path)), ...closed],
      hidden: [...walls.hidden, ...socketFolders("/tmp").filter((folder) => folder !== tree)],
      home: {
        ...walls.home,
        shown: [...walls.home.shown.filter((path) => !caches.writable.includes(path)), ...settings],
        writable: [...walls.home.writable, ...caches.writable],
      },
      temporary: null,
    },
    env: { ...caches.env, LOCKSTEP_INSIDE: "1" },
  };
}

const entriesMax = 2000;

/** Through a socket of tmux, of a desktop or of a key agent a command would reach what is outside. */
function socketFolders(temporary: string): readonly string[] {
  const names = readdirSync(temporary, { withFileTypes: true }).slice(0, entriesMax);
  return names.flatMap((entry) => {
    const path = join(temporary, entry.name);
    return entry.isSocket() || (entry.isDirectory() && holdsSocket(path)) ? [path] : [];
  });
}

function holdsSocket(folder: string): boolean {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .slice(0, entriesMax)
      .some((entry) => entry.isSocket());
  } catch {
    return false; // another user's
  }
}
