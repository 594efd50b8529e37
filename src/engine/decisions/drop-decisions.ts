import { allow, deny, type Verdict } from "../../core/rules/verdict.ts";
import { gateOf } from "../../core/session/gate-ids.ts";
import { decisionKinds } from "../../core/tasks/decision-kinds.ts";
import type { Decision } from "../../ledger/ledger.ts";
import type { Admitted } from "../change/door.ts";
import { internal } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { type Settled, settle, withoutKey } from "../change/settle.ts";
import { isNeedless, sessionDecisions } from "./session-decisions.ts";

/** S4-095: only a person's explicit answer ends these. */
export function isSecurityQuestion({ kind, data }: Pick<Decision, "kind" | "data">): boolean {
  return kind === "security" || data?.fromSecurity === true;
}

/**
 * Whether work can continue without an answer. A question that holds up a merge or a task would only be asked
 * again.
 */
export function canGoOnWithout(decision: Pick<Decision, "id" | "kind" | "data">): boolean {
  const isGate = gateOf(decision.id) !== undefined;
  return decisionKinds[decision.kind].dispensable && !isSecurityQuestion(decision) && !isGate;
}

/**
 * S4-094: cancels questions that a person saw but did not answer, except those that require an answer (S4-095,
 * S4-097).
 */
export const cancelUnanswered = internal("cancel-decisions", cancel);

function cancel(
  engine: Engine,
  input: { readonly ids: readonly string[]; readonly reason: string },
  call: Admitted,
): Promise<Verdict> {
  return settle(engine, { operation: "cancel-unanswered", input, call: withoutKey(call) }, async () => {
    const asked = (await engine.ledger.decisions()).filter(({ id }) => input.ids.includes(id));
    const kept = asked.filter((one) => !canGoOnWithout(one));
    if (kept.length > 0) {
      const ids = kept.map(({ id }) => id);
      const reason = `${ids.join(", ")} requires an answer: ask again, or use \`lockstep decide\` with --cancel`;
      return { verdict: deny("R-IN-001", reason, { ids }) };
    }
    const unanswered = asked.filter(({ state }) => state === "pending");
    return drop(engine, { call, unanswered, state: "cancelled", reason: input.reason });
  });
}

/** S4-093: skips a question that no longer matters. A gate always matters. */
export const skipDecision = internal("skip-decisions", skip);

function skip(
  engine: Engine,
  input: { readonly id: string; readonly reason: string },
  call: Admitted,
): Promise<Verdict> {
  const { id, reason } = input;
  return settle(engine, { operation: "skip", input, call: withoutKey(call) }, async () => {
    const found = (await engine.ledger.decisions()).find((one) => one.id === id);
    if (found === undefined)
      return { verdict: deny("R-IN-001", `there is no decision \`${id}\`: \`lockstep decide\` lists them`) };
    if (gateOf(id) !== undefined)
      return {
        verdict: deny("R-IN-001", `\`${id}\` is a gate: only a person can answer or cancel it`, { id }),
      };
    if (found.state !== "pending")
      return { verdict: deny("R-ST-001", `decision \`${id}\` is already ${found.state}`, { id }) };
    return drop(engine, { call, unanswered: [found], state: "skipped", reason });
  });
}

/** S4-111: skips pending questions of a session whose subject is over. */
export const skipNeedless = internal("skip-decisions", skipAll);

function skipAll(
  engine: Engine,
  { session }: { readonly session: string },
  call: Admitted,
): Promise<Verdict> {
  return settle(engine, { operation: "skip", input: { session }, call: withoutKey(call) }, async () => {
    const unanswered: Decision[] = [];
    for (const one of await sessionDecisions(engine, session))
      if (one.state === "pending" && (await isNeedless(engine, one))) unanswered.push(one);
    return drop(engine, { call, unanswered, state: "skipped", reason: "its task is over" });
  });
}

interface Dropping {
  readonly call: Admitted;
  readonly unanswered: readonly Decision[];
  readonly state: "cancelled" | "skipped";
  readonly reason: string;
}

async function drop(engine: Engine, { call, unanswered, state, reason }: Dropping): Promise<Settled> {
  if (reason.trim() === "") return { verdict: deny("R-IN-001", "name the reason why it is not answered") };
  const ids = unanswered.map(({ id }) => id);
  if (ids.length === 0) return { verdict: allow({ ids }) };
  const draft = new Draft(engine, { by: call, cause: state === "skipped" ? "skip" : "decide" });
  for (const { id, task } of unanswered)
    draft.note({ type: `decision.${state}`, task, from: null, to: null, data: { id, answer: reason } });
  const decisions = unanswered.map((one) => ({ ...one, state, answer: reason, answeredAt: draft.at }));
  return { verdict: allow({ ids }), change: await draft.toChange({ decisions }) };
}
