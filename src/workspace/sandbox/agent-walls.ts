import { existsSync } from "node:fs";
import { join } from "node:path";
import { type CheckPlaces, checkWalls } from "./check-walls.ts";
import { isBelow } from "./plan-mounts.ts";
import type { Walls } from "./sandbox.ts";

export interface AgentPlaces extends CheckPlaces {
  /** The host's socket, through which alone the ledger is reached. */
  readonly socket?: string;
  /** Where the agent's client keeps its own state, below the home, and what of it no agent may write. */
  readonly client: { readonly state: readonly string[]; readonly obeys?: readonly string[] };
  /** Paths in the checkout that no agent writes, and with `sandbox: strict` what is tracked outside the lock. */
  readonly readOnly: readonly string[];
}

/** As around a check, but its git folder is its own to commit in, and its client remembers what it did. */
export function agentWalls({ socket, client, readOnly, ...places }: AgentPlaces): Walls {
  const walls = checkWalls(places, "check");
  const ownGit = join(places.checkout, ".git");
  const state = client.state.filter((path) => existsSync(path));
  const isInHome = (path: string) => isBelow(walls.home.path, path);
  return {
    ...walls,
    readOnly: [
      ...walls.readOnly.filter((path) => path !== ownGit),
      ...[...readOnly, ...(client.obeys ?? [])].filter((path) => existsSync(path)),
    ],
    writable: [...walls.writable, ...state.filter((path) => !isInHome(path))],
    home: { ...walls.home, writable: [...walls.home.writable, ...state.filter(isInHome)] },
    ...(socket === undefined ? {} : { socket }),
  };
}
