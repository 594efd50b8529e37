import manifest from "../../../package.json" with { type: "json" };
import type { Ledger } from "../../ledger/ledger.ts";
import { networkFileSystem } from "../../workspace/files/file-system.ts";
import type { Project } from "../../workspace/files/find-project.ts";
import { bootTimeMs } from "../../workspace/process/machine-clock.ts";
import { knownLedgerUrl } from "../../workspace/state/ledger-url.ts";
import { localVersion } from "../../workspace/state/local-version.ts";
import { openStateFolder } from "../../workspace/state/state-folder.ts";
import { headsFolder } from "../../workspace/state/state-home.ts";
import { thisMachine } from "../../workspace/state/this-machine.ts";
import { writeAll } from "../output/descriptor.ts";

interface OpenOptions {
  /** Creates the files of a ledger that belongs to this machine. A shared ledger is created by `ledger migrate`. */
  readonly create?: boolean;
  /** For a process that must answer quickly. */
  readonly urgent?: boolean;
  readonly waitMs?: number;
  readonly onWait?: (why: string) => void;
  readonly onAnswer?: () => void;
}

/** For a command: the person sees why nothing happens. */
export const sayWaiting = {
  onWait: (why: string) => writeAll(2, `lockstep: waiting: ${why}\n`),
  onAnswer: () => writeAll(2, "lockstep: the ledger answers again\n"),
} as const;

/** Opens the ledger of a project: the one that it shares with other machines, or its own. */
export async function openProjectLedger(
  project: Project,
  { create = false, urgent = false, waitMs, onWait, onAnswer }: OpenOptions = {},
): Promise<Ledger> {
  const folder = openStateFolder(project);
  const url = knownLedgerUrl(project);
  const heads = headsFolder(project);
  const waits = waitMs === undefined ? {} : { waitMs };
  if (url === undefined) {
    const { openSqliteLedger } = await import("../../ledger/sqlite/open-ledger.ts");
    return openSqliteLedger({ folder, create, fileSystemOf: networkFileSystem, heads, urgent, ...waits });
  }
  const { openPostgresLedger } = await import("../../ledger/postgres/open-ledger.ts");
  return openPostgresLedger({
    ...{ url, heads, local: localVersion(folder), localMs: bootTimeMs, ...waits },
    machine: { ...thisMachine(), lockstep: manifest.version },
    ...(onWait === undefined ? {} : { onWait }),
    ...(onAnswer === undefined ? {} : { onAnswer }),
  });
}

/** This machine, if the project shares its ledger with others. */
export function machineIn(project: Project): string | undefined {
  return knownLedgerUrl(project) === undefined ? undefined : thisMachine().id;
}
