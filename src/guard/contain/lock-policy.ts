import { type Dirent, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { checkPolicy, usableHome } from "../../workspace/sandbox/check-policy.ts";
import { personCaches } from "../../workspace/sandbox/person-caches.ts";
import type { SandboxPolicy } from "../../workspace/sandbox/sandbox.ts";

interface LockPlaces {
  /** The main checkout. */
  readonly root: string;
  readonly commonFolder: string;
  /** The checkout that the command works in: the main one or a linked one. */
  readonly tree: string;
  /** Absolute read-only paths in it. */
  readonly closed: readonly string[];
  /** Other checkouts of the project, which may be inside this one. */
  readonly checkouts: readonly string[];
  /** The task or agent that runs the command. */
  readonly owner: string;
}

interface LockPolicy {
  readonly policy: SandboxPolicy;
  readonly env: Readonly<Record<string, string>>;
}

/** The user's git settings, so that scripts that call git get the usual answers. */
const gitSettings = [".gitconfig", ".config/git"];

/**
 * The sandbox of a command in the checkout that a person works in. The lock, ignored output, temporary files and the
 * caches of package managers are writable. Everything else is read-only.
 */
export function lockPolicy({ owner, root, commonFolder, tree, closed, checkouts }: LockPlaces): LockPolicy {
  const policy = checkPolicy({ root, commonFolder, checkout: tree, temporary: "/tmp", home: [] }, "setup");
  const others = checkouts.filter((path) => path !== tree && path !== root && existsSync(path));
  const home = usableHome();
  const caches = home === undefined ? undefined : personCaches(home, { commonFolder, owner });
  const settings = home === undefined ? [] : gitSettings.map((name) => join(home, name)).filter(existsSync);
  return {
    policy: {
      ...policy,
      writable: caches === undefined ? policy.writable : [...policy.writable, caches.folder],
      readOnly: [
        ...policy.readOnly.filter((path) => path !== tree && existsSync(path)),
        ...others,
        ...closed,
      ],
      hidden: [
        ...policy.hidden,
        ...["/tmp", "/var/tmp"].flatMap((folder) => socketsBelow(folder, 2)).filter((one) => one !== tree),
      ],
      home: {
        ...policy.home,
        shown: [...policy.home.shown.filter((path) => !caches?.writable.includes(path)), ...settings],
        writable: [...policy.home.writable, ...(caches?.writable ?? [])],
      },
      temporary: null,
    },
    env: { ...caches?.env, LOCKSTEP_INSIDE: "1" },
  };
}

const entriesMax = 500;

/** Through a socket of tmux, a desktop or a key agent a command could act outside the sandbox. */
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
    return []; // owned by another user, or gone
  }
}
