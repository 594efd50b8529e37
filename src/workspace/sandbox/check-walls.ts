import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { checkoutsFolder } from "../state/state-home.ts";
import { homeParts, programsIn } from "./home-parts.ts";
import { isBelow } from "./plan-mounts.ts";
import { programFolders } from "./program-folders.ts";
import type { Walls } from "./sandbox.ts";

export interface CheckPlaces {
  /** The main checkout. */
  readonly root: string;
  readonly commonFolder: string;
  /** Where the command runs. */
  readonly checkout: string;
  readonly temporary: string;
  /** Paths below the home that a person opens. */
  readonly home: readonly string[];
}

/** Agents wrote what runs in here: it writes its own checkout, but neither its git folder nor anybody else's. */
export function checkWalls(places: CheckPlaces, purpose: "check" | "set-up"): Walls {
  const { root, commonFolder, checkout, temporary } = places;
  // Every repository's: what lies in the others' checkouts is none of this one's business.
  const states = dirname(checkoutsFolder(commonFolder));
  const home = usableHome();
  const parts = home === undefined ? [] : [...homeParts(home, places.home, purpose)];
  const ofKind = (kind: string) => parts.filter(([, as]) => as === kind).map(([path]) => path);
  const atHome = home === undefined ? [] : [home, realpathSync(home), ...programsIn(home)];
  const system = realpathSync("/tmp");
  return {
    writable: [checkout],
    readOnly: [
      join(checkout, ".git"),
      commonFolder,
      ...[root].filter((one) => !atHome.includes(one)), // of a home that is a repository the rest stays hidden
      ...programFolders().filter((folder) => isBelow(system, folder) && !atHome.includes(folder)),
    ],
    hidden: [states, join(commonFolder, "lockstep"), ...ofKind("hidden")].filter(existsSync),
    home: { path: home ?? states, shown: ofKind("shown"), writable: ofKind("writable") },
    placed: [],
    temporary,
    network: true,
  };
}

/** Some accounts have none, or one that is no place of their own. */
export function usableHome(): string | undefined {
  const home = homedir();
  if (!existsSync(home)) return undefined;
  return ["/", realpathSync("/tmp")].includes(realpathSync(home)) ? undefined : home;
}
