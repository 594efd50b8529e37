import { type GuardFacts, readGuardFacts } from "../../engine/views/guard-facts.ts";
import type { Ledger } from "../../ledger/ledger.ts";

/** For a process that answers many calls: who holds what is read again only after somebody has stored something. */
export function keptFacts(ledger: Ledger): () => Promise<GuardFacts> {
  let kept: { readonly version: string; readonly facts: Promise<GuardFacts> } | undefined;
  return () => {
    // Before it is read: what is stored meanwhile makes it old again.
    const version = ledger.version();
    if (kept?.version !== version) {
      const facts = readGuardFacts({ ledger });
      kept = { version, facts };
      facts.catch(() => {
        kept = undefined; // the next call tries again
      });
    }
    return kept.facts;
  };
}
