import { shortDecisionId } from "../core/session/gate-ids.ts";
import type { Decision } from "../ledger/ledger.ts";

type Named = Pick<Decision, "id" | "state">;

/** `UD-1`, `UD-2` … */
export function nextDecisionId(all: readonly Decision[]): string {
  return `UD-${1 + Math.max(0, ...all.map(({ id }) => Number(/^UD-(\d+)$/.exec(id)?.[1] ?? 0)))}`;
}

/**
 * The decision that a person means. A gate is called `UD-APPROVE-DESIGN` in every session: it is the only one that
 * waits, else that of the current session.
 */
export function decisionNamed<One extends Named>(
  all: readonly One[],
  name: string,
  current: string | undefined,
): One | undefined {
  const exact = all.find(({ id }) => id === name);
  if (exact !== undefined) return exact;
  const called = all.filter(({ id }) => shortDecisionId(id) === name);
  const pending = called.filter(({ state }) => state === "pending");
  const [only] = pending.length > 0 ? pending : called;
  if (pending.length === 1 || called.length === 1) return only;
  return called.find(({ id }) => id === `${current}/${name}`);
}

/** The shortest name that means this decision, of all that wait. */
export function decisionName(pending: readonly Pick<Decision, "id">[], id: string): string {
  const short = shortDecisionId(id);
  return pending.filter((one) => shortDecisionId(one.id) === short).length > 1 ? id : short;
}
