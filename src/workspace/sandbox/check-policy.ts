import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { checkoutsFolder } from "../state/state-home.ts";
import { homeParts, programsIn } from "./home-parts.ts";
import { isBelow } from "./plan-mounts.ts";
import { programFolders } from "./program-folders.ts";
import type { SandboxPolicy } from "./sandbox.ts";

export interface CheckPlaces {
  /** The main checkout. */
  readonly root: string;
  readonly commonFolder: string;
  /** The checkout that the command runs in. */
  readonly checkout: string;
  readonly temporary: string;
  /** Paths below the home that the user opened to the sandbox. */
  readonly home: readonly string[];
}

/** Checks run code that agents wrote. They may write their own checkout, but no git folder, not even their own. */
export function checkPolicy(
  places: CheckPlaces,
  purpose: "check" | "setup",
  { network = true } = {},
): SandboxPolicy {
  const { root, commonFolder, checkout, temporary } = places;
  // The state of all repositories: a check must not read the checkouts of other repositories either.
  const states = dirname(checkoutsFolder(commonFolder));
  const home = usableHome();
  const parts = home === undefined ? [] : [...homeParts(home, places.home, purpose)];
  const ofKind = (kind: string) => parts.filter(([, as]) => as === kind).map(([path]) => path);
  const atHome = home === undefined ? [] : [home, realpathSync.native(home), ...programsIn(home)];
  const system = realpathSync.native("/tmp");
  return {
    writable: [checkout],
    readOnly: [
      join(checkout, ".git"),
      commonFolder,
      ...[root].filter((one) => !atHome.includes(one)), // if the home is the repository, the rest of it stays hidden
      ...programFolders().filter((folder) => isBelow(system, folder) && !atHome.includes(folder)),
    ],
    hidden: [states, join(commonFolder, "lockstep"), ...ofKind("hidden")].filter(existsSync),
    home: { path: home ?? states, shown: ofKind("shown"), writable: ofKind("writable") },
    placed: [],
    temporary,
    network,
  };
}

/** Undefined for accounts without a home, or whose home is `/` or `/tmp`. */
export function usableHome(): string | undefined {
  const home = homedir();
  if (!existsSync(home)) return undefined;
  return ["/", realpathSync.native("/tmp")].includes(realpathSync.native(home)) ? undefined : home;
}
