import type { StoredRun } from "../../ledger/ledger.ts";
import { commit, system } from "../change/door.ts";
import type { Engine } from "../change/engine.ts";

/** Stored outcomes of checks, shared by all processes: no passed check runs twice, and no failure is forgotten. */
export function ledgerReuse({ ledger, clock }: Pick<Engine, "ledger" | "clock">) {
  return {
    find: (key: string) => ledger.evidence(key),
    async keep(runs: readonly Omit<StoredRun, "at">[]): Promise<void> {
      const at = new Date(clock.now().wallMs).toISOString();
      await commit(ledger, system, { evidence: runs.map((run) => ({ ...run, at })) });
    },
  };
}
