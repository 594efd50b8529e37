import { type GuardFacts, readGuardFacts } from "../../engine/views/guard-facts.ts";
import type { Ledger } from "../../ledger/ledger.ts";

/** For a process that answers many calls: the facts are read again only after a change in the ledger. */
export function keptFacts(ledger: Ledger): () => Promise<GuardFacts> {
  let kept: { readonly version: string; readonly facts: Promise<GuardFacts> } | undefined;
  return () => {
    // The version is read first, so that a change during the read makes the facts outdated.
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
