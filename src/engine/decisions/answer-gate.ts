import { deny } from "../../core/rules/verdict.ts";
import { readApproval, readStrategy } from "../../core/session/gate-answers.ts";
import { shortDecisionId } from "../../core/session/gate-ids.ts";
import type { Session } from "../../core/session/session.ts";
import type { GateState } from "../../core/session/states.ts";
import type { Decision } from "../../ledger/ledger.ts";
import type { Admitted } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import type { Settled } from "../change/settle.ts";
import { stepSession } from "../sessions/move-session.ts";

/** Repeated questions after the first invalid answer (A4-2). */
const reAsksMax = 3;

const wanted: Readonly<Record<GateState, string>> = {
  APPROVE_DESIGN: "`yes`, or `changes: ` and what to change",
  REVIEW_STRATEGY: "`per-batch` or `single-final`",
};

/** The answer in its stored form; undefined if it is not valid. */
export function gateAnswer(gate: GateState, text: string): string | undefined {
  return gate === "APPROVE_DESIGN" ? readApproval(text)?.answer : readStrategy(text);
}

/** S4-097, S4-099: asks again, up to a limit. */
export async function refuseGateAnswer(
  engine: Engine,
  { decision, gate, text, call }: { decision: Decision; gate: GateState; text: string; call: Admitted },
): Promise<Settled> {
  const invalid = (decision.data?.invalid ?? 0) + 1;
  const draft = new Draft(engine, { by: call, cause: "decide" });
  const left = 1 + reAsksMax - invalid;
  const said = text.trim() === "" ? "nothing" : `\`${text.trim()}\``;
  const details = { id: decision.id, invalid, left, options: decision.options };
  const data = { ...decision.data, invalid };
  const about = { task: decision.task, from: null, to: null };
  if (left > 0) {
    draft.note({ type: "decision.refused", ...about, data: { id: decision.id, invalid } });
    const reason = `${said} is not a valid answer to ${decision.id}: ${wanted[gate]} (${left} tries left)`;
    return {
      verdict: deny("R-IN-001", reason, details),
      change: await draft.toChange({ decisions: [{ ...decision, data }] }),
    };
  }
  const session = decision.data?.session;
  const why = `no valid answer after asking ${reAsksMax} more times`;
  draft.note({ type: "decision.cancelled", ...about, data: { id: decision.id, answer: why } });
  const closed = { ...decision, data, state: "cancelled", answer: why, answeredAt: draft.at } as const;
  const sessions = await blockedSession(draft, decision, why);
  const reason = `${said} is not a valid answer to ${decision.id} either: the session is blocked; \`lockstep resume ${session}\` asks again`;
  return {
    verdict: deny("R-IN-001", reason, details),
    change: await draft.toChange({ decisions: [closed], sessions }),
  };
}

/** S4-153: without an answer at a gate, the session does not continue. */
export async function blockedSession(
  draft: Draft,
  { id, data }: Decision,
  why: string,
): Promise<readonly Session[]> {
  const session = data?.session === undefined ? undefined : await draft.engine.ledger.session(data.session);
  if (session === undefined) return [];
  const blocker = {
    code: "mandatory_user_decision_missing",
    reason: `${shortDecisionId(id)}: ${why}`,
    recovery: `\`lockstep resume ${session.name}\` asks again`,
  };
  const blocked = stepSession(draft, session, { event: { type: "block", blocker } });
  // The session is already blocked or done.
  return "allow" in blocked ? [] : [blocked];
}
