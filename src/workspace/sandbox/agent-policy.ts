import { existsSync } from "node:fs";
import { join } from "node:path";
import { type CheckPlaces, checkPolicy } from "./check-policy.ts";
import { isBelow } from "./plan-mounts.ts";
import type { PlacedFolder, SandboxPolicy } from "./sandbox.ts";

export interface AgentPlaces extends CheckPlaces {
  /** The host's socket: the only way to the ledger from inside the sandbox. */
  readonly socket?: string;
  /** The folders that replace the client's state folders, and the other paths that the client reads. */
  readonly client: { readonly placed: readonly PlacedFolder[]; readonly shows: readonly string[] };
  /** Protected paths in the checkout; with `sandbox: strict` also the tracked files outside the lock. */
  readonly readOnly: readonly string[];
  /** The file that login shells in the sandbox read as their profile. */
  readonly profile?: string;
}

/** The profile of `sh` and `bash`, and the profile of `zsh`. */
const profiles = [".profile", ".zprofile"];

/** The sandbox of a check, plus a writable git folder for commits and the state folders of the agent's client. */
export function agentPolicy({ socket, client, readOnly, profile, ...places }: AgentPlaces): SandboxPolicy {
  const policy = checkPolicy(places, "check");
  const { home } = policy;
  const ownGit = join(places.checkout, ".git");
  const shown = client.shows.filter((path) => existsSync(path));
  const isInHome = (path: string) => isBelow(home.path, path);
  const isPlaced = (path: string) => client.placed.some(({ at }) => at === path);
  const isOpen = (name: string) => [...home.shown, ...home.writable].includes(join(home.path, name));
  return {
    ...policy,
    readOnly: [
      ...policy.readOnly.filter((path) => path !== ownGit),
      ...readOnly.filter((path) => existsSync(path)),
      ...shown.filter((path) => !isInHome(path)),
    ],
    home: {
      ...home,
      shown: [...home.shown, ...shown.filter(isInHome)].filter((path) => !isPlaced(path)),
      // The user may have opened the folder for other tools. The client still writes to its own copy.
      writable: home.writable.filter((path) => !isPlaced(path)),
      ...(profile === undefined
        ? {}
        : { given: new Map(profiles.filter((name) => !isOpen(name)).map((name) => [name, profile])) }),
    },
    placed: client.placed,
    ...(socket === undefined ? {} : { socket }),
  };
}
