import type { PointName } from "../../core/points/points.ts";
import { isObject } from "../../core/values/fields.ts";
import { ledgerFacts } from "../../engine/views/ledger-facts.ts";
import { openSqliteLedger } from "../../ledger/sqlite/open-ledger.ts";
import { networkFileSystem } from "../../workspace/files/file-system.ts";
import type { Project } from "../../workspace/files/find-project.ts";
import { machineClock } from "../../workspace/process/machine-clock.ts";
import { openStateFolder } from "../../workspace/state/state-folder.ts";
import { headsFolder } from "../../workspace/state/state-home.ts";

/** Adds the ledger's facts to a hook payload; the payload's own facts take precedence. */
export async function completePayload(
  project: Project,
  point: PointName,
  document: unknown,
): Promise<unknown> {
  const folder = openStateFolder(project);
  const ledger = await openSqliteLedger({
    folder,
    create: false,
    fileSystemOf: networkFileSystem,
    urgent: true,
    heads: headsFolder(project),
  });
  try {
    const facts = await ledgerFacts({ ledger, clock: machineClock() }, point);
    return isObject(document) ? { ...facts, ...document } : document;
  } finally {
    ledger.close();
  }
}
