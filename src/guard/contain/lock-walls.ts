import { type Dirent, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { checkWalls, usableHome } from "../../workspace/sandbox/check-walls.ts";
import { personCaches } from "../../workspace/sandbox/person-caches.ts";
import type { Walls } from "../../workspace/sandbox/sandbox.ts";

interface LockPlaces {
  /** The main checkout. */
  readonly root: string;
  readonly commonFolder: string;
  /** The checkout that the command works in: the main one or a linked one. */
  readonly tree: string;
  /** Absolute paths in it that are read-only. */
  readonly closed: readonly string[];
  /** Other checkouts of the project, which may lie in this one. */
  readonly checkouts: readonly string[];
  /** Whose command it is: a task, or an agent that has none. */
  readonly owner: string;
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
export function lockWalls({ owner, root, commonFolder, tree, closed, checkouts }: LockPlaces): LockWalls {
  const walls = checkWalls({ root, commonFolder, checkout: tree, temporary: "/tmp", home: [] }, "set-up");
  const others = checkouts.filter((path) => path !== tree && path !== root && existsSync(path));
  const home = usableHome();
  const caches = home === undefined ? undefined : personCaches(home, { commonFolder, owner });
  const settings = home === undefined ? [] : gitSettings.map((name) => join(home, name)).filter(existsSync);
  return {
    walls: {
      ...walls,
      writable: caches === undefined ? walls.writable : [...walls.writable, caches.folder],
      readOnly: [...walls.readOnly.filter((path) => path !== tree && existsSync(path)), ...others, ...closed],
      hidden: [
        ...walls.hidden,
        ...["/tmp", "/var/tmp"].flatMap((folder) => socketsBelow(folder, 2)).filter((one) => one !== tree),
      ],
      home: {
        ...walls.home,
        shown: [...walls.home.shown.filter((path) => !caches?.writable.includes(path)), ...settings],
        writable: [...walls.home.writable, ...(caches?.writable ?? [])],
      },
      temporary: null,
    },
    env: { ...caches?.env, LOCKSTEP_INSIDE: "1" },
  };
}

const entriesMax = 500;

/** Through a socket of tmux, of a desktop or of a key agent a command would reach what is outside. */
function socketsBelow(folder: string, depth: number): readonly string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isSocket()) return [path];
    if (!entry.isDirectory()) return [];
    if (entriesOf(path).some((one) => one.isSocket())) return [path];
    return depth > 1 ? socketsBelow(path, depth - 1) : [];
  });
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).slice(0, entriesMax);
  } catch {
    return []; // another user's, or gone
  }
}
