import { existsSync } from "node:fs";
import { join } from "node:path";
import { type CheckPlaces, checkWalls } from "./check-walls.ts";
import { isBelow } from "./plan-mounts.ts";
import type { PlacedFolder, Walls } from "./sandbox.ts";

export interface AgentPlaces extends CheckPlaces {
  /** The host's socket, through which alone the ledger is reached. */
  readonly socket?: string;
  /** What the agent's client has in the place of the folders where it keeps its state, and what it reads beside them. */
  readonly client: { readonly placed: readonly PlacedFolder[]; readonly shows: readonly string[] };
  /** Paths in the checkout that no agent writes, and with `sandbox: strict` what is tracked outside the lock. */
  readonly readOnly: readonly string[];
  /** What a login shell reads in its home. */
  readonly profile?: string;
}

/** Of `sh` and `bash`, and of `zsh`. */
const profiles = [".profile", ".zprofile"];

/** As around a check, but its git folder is its own to commit in, and its client remembers what it did. */
export function agentWalls({ socket, client, readOnly, profile, ...places }: AgentPlaces): Walls {
  const walls = checkWalls(places, "check");
  const { home } = walls;
  const ownGit = join(places.checkout, ".git");
  const shown = client.shows.filter((path) => existsSync(path));
  const isInHome = (path: string) => isBelow(home.path, path);
  const isPlaced = (path: string) => client.placed.some(({ at }) => at === path);
  const isOpen = (name: string) => [...home.shown, ...home.writable].includes(join(home.path, name));
  return {
    ...walls,
    readOnly: [
      ...walls.readOnly.filter((path) => path !== ownGit),
      ...readOnly.filter((path) => existsSync(path)),
      ...shown.filter((path) => !isInHome(path)),
    ],
    home: {
      ...home,
      shown: [...home.shown, ...shown.filter(isInHome)].filter((path) => !isPlaced(path)),
      // A person may have opened it for other tools: the client still writes to its own.
      writable: home.writable.filter((path) => !isPlaced(path)),
      ...(profile === undefined
        ? {}
        : { given: new Map(profiles.filter((name) => !isOpen(name)).map((name) => [name, profile])) }),
    },
    placed: client.placed,
    ...(socket === undefined ? {} : { socket }),
  };
}
