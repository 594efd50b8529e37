import type { StoredRun } from "../../ledger/ledger.ts";
import { commit, system } from "../change/door.ts";
import type { Engine } from "../change/engine.ts";

/** Outcomes that the ledger keeps: no pass is run twice and no failure forgotten, by whatever process. */
export function ledgerReuse({ ledger, clock }: Pick<Engine, "ledger" | "clock">) {
  return {
    find: (key: string) => ledger.evidence(key),
    async keep(runs: readonly Omit<StoredRun, "at">[]): Promise<void> {
      const at = new Date(clock.now().wallMs).toISOString();
      await commit(ledger, system, { evidence: runs.map((run) => ({ ...run, at })) });
    },
  };
}
