import type { GateState } from "./states.ts";

/** S4-085: what the question of a gate is called in every session. */
const gateIds: Readonly<Record<GateState, string>> = {
  APPROVE_DESIGN: "UD-APPROVE-DESIGN",
  REVIEW_STRATEGY: "UD-REVIEW-STRATEGY",
};

/** As the ledger has it, which holds many sessions. */
export function gateKey(session: string, gate: GateState): string {
  return `${session}/${gateIds[gate]}`;
}

/** What a decision is called within its session. */
export function shortDecisionId(id: string): string {
  return id.split("/").at(-1) ?? id;
}

/** The gate that a decision opens, if it is one of those. */
export function gateOf(id: string): GateState | undefined {
  const short = shortDecisionId(id);
  if (short === gateIds.APPROVE_DESIGN) return "APPROVE_DESIGN";
  return short === gateIds.REVIEW_STRATEGY ? "REVIEW_STRATEGY" : undefined;
}
