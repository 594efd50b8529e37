import { existsSync } from "node:fs";
import { join } from "node:path";
import { type CheckPlaces, checkWalls } from "./check-walls.ts";
import type { Walls } from "./sandbox.ts";

export interface AgentPlaces extends CheckPlaces {
  /** The host's socket, through which alone the ledger is reached. */
  readonly socket?: string;
  /** Where the agent's client keeps its own state, below the home. */
  readonly clientState: readonly string[];
  /** Paths in the checkout that no agent writes, and with `sandbox: strict` what is tracked outside the lock. */
  readonly readOnly: readonly string[];
}

/** As around a check, but its git folder is its own to commit in, and its client remembers what it did. */
export function agentWalls({ socket, clientState, readOnly, ...places }: AgentPlaces): Walls {
  const walls = checkWalls(places, "check");
  const ownGit = join(places.checkout, ".git");
  return {
    ...walls,
    readOnly: [
      ...walls.readOnly.filter((path) => path !== ownGit),
      ...readOnly.filter((path) => existsSync(path)),
    ],
    home: {
      ...walls.home,
      writable: [...walls.home.writable, ...clientState.filter((path) => existsSync(path))],
    },
    ...(socket === undefined ? {} : { socket }),
  };
}
