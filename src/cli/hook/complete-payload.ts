import type { PointName } from "../../core/points/points.ts";
import { isObject } from "../../core/values/fields.ts";
import { ledgerFacts } from "../../engine/views/ledger-facts.ts";
import type { Project } from "../../workspace/files/find-project.ts";
import { machineClock } from "../../workspace/process/machine-clock.ts";
import { openProjectLedger } from "../open/open-ledger.ts";

/** Adds the ledger's facts to a hook payload; the payload's own facts take precedence. */
export async function completePayload(
  project: Project,
  point: PointName,
  document: unknown,
): Promise<unknown> {
  const ledger = await openProjectLedger(project, { urgent: true });
  try {
    const facts = await ledgerFacts({ ledger, clock: ledger.clock ?? machineClock() }, point);
    return isObject(document) ? { ...facts, ...document } : document;
  } finally {
    ledger.close();
  }
}
