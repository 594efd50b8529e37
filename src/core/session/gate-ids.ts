import type { GateState } from "./states.ts";

/** The decision id of each gate, the same in every session (S4-085). */
const gateIds: Readonly<Record<GateState, string>> = {
  APPROVE_DESIGN: "UD-APPROVE-DESIGN",
  REVIEW_STRATEGY: "UD-REVIEW-STRATEGY",
};

/** The id in the ledger, which contains many sessions. */
export function gateKey(session: string, gate: GateState): string {
  return `${session}/${gateIds[gate]}`;
}

/** The id of a decision within its session. */
export function shortDecisionId(id: string): string {
  return id.split("/").at(-1) ?? id;
}

/** The gate that a decision belongs to, if any. */
export function gateOf(id: string): GateState | undefined {
  const short = shortDecisionId(id);
  if (short === gateIds.APPROVE_DESIGN) return "APPROVE_DESIGN";
  return short === gateIds.REVIEW_STRATEGY ? "REVIEW_STRATEGY" : undefined;
}
