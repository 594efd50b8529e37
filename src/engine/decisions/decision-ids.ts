import { type Deny, deny } from "../../core/rules/verdict.ts";
import { shortDecisionId } from "../../core/session/gate-ids.ts";
import type { Decision } from "../../ledger/ledger.ts";

type Named = Pick<Decision, "id" | "state">;

/** `UD-1`, `UD-2` … */
export function nextDecisionId(all: readonly Decision[]): string {
  return `UD-${1 + Math.max(0, ...all.map(({ id }) => Number(/^UD-(\d+)$/.exec(id)?.[1] ?? 0)))}`;
}

/** Finds a decision by name, ignoring case: a gate is called `UD-APPROVE-DESIGN` in every session. */
export function decisionNamed<One extends Named>(all: readonly One[], name: string): One | Deny {
  const exact = all.find(({ id }) => id === name) ?? all.find(({ id }) => isSameName(id, name));
  if (exact !== undefined) return exact;
  const called = all.filter(({ id }) => isSameName(shortDecisionId(id), name));
  const pending = called.filter(({ state }) => state === "pending");
  const meant = pending.length > 0 ? pending : called;
  const [only] = meant;
  if (only === undefined)
    return deny("R-IN-001", `there is no decision \`${name}\`: \`lockstep decide\` lists them`);
  if (meant.length === 1) return only;
  const ids = meant.map(({ id }) => id);
  return deny("R-IN-001", `\`${name}\` is pending in ${ids.length} sessions: use \`${ids.join("` or `")}\``, {
    ids,
  });
}

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The shortest unambiguous name of this decision among the pending ones. */
export function decisionName(pending: readonly Pick<Decision, "id">[], id: string): string {
  const short = shortDecisionId(id);
  return pending.filter((one) => shortDecisionId(one.id) === short).length > 1 ? id : short;
}
