import { metaKey } from "../../core/names/task-name.ts";
import { allow, deny, type Verdict } from "../../core/rules/verdict.ts";
import { gateKey } from "../../core/session/gate-ids.ts";
import type { GateState } from "../../core/session/states.ts";
import type { DecisionData } from "../../ledger/decision-data.ts";
import { canonicalJson } from "../../ledger/event-chain.ts";
import type { Decision } from "../../ledger/ledger.ts";
import type { Admitted } from "../change/door.ts";
import { internal } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { settle, withoutKey } from "../change/settle.ts";

const kinds = { APPROVE_DESIGN: "approve-design", REVIEW_STRATEGY: "review-strategy" } as const;

export interface GateQuestion {
  readonly session: string;
  readonly gate: GateState;
  readonly question: string;
  readonly options: readonly string[];
  readonly data?: DecisionData;
}

/**
 * Asks the question of a gate, once: an existing answer stays, and so does a pending question. A cancelled
 * question is asked again under the same id (S4-086).
 */
export const askGate = internal("ask", ask);

async function ask(engine: Engine, asked: GateQuestion, call: Admitted): Promise<Decision> {
  const id = gateKey(asked.session, asked.gate);
  const input = { id };
  await settle(engine, { operation: "ask", input, call: withoutKey(call) }, async () => {
    const before = await readDecision(engine, id);
    if (before?.state === "answered" || (before?.state === "pending" && isSame(before, asked)))
      return { verdict: allow() };
    const draft = new Draft(engine, { by: call, cause: "ask" });
    const isNew = before?.state !== "pending";
    const entry: Decision = {
      ...{ id, version: before?.version ?? 0, kind: kinds[asked.gate], task: metaKey(asked.session) },
      ...{ question: asked.question, options: asked.options },
      data: {
        ...dataOf(asked),
        ...earlierDocuments(before, asked),
        invalid: isNew ? 0 : (before.data?.invalid ?? 0),
      },
      ...{ state: "pending", answer: null, answeredAt: null },
      askedAt: isNew ? draft.at : before.askedAt,
    };
    if (isNew) noteAsked(draft, entry);
    return { verdict: allow(), change: await draft.toChange({ decisions: [entry] }) };
  });
  const stored = await readDecision(engine, id);
  if (stored === undefined) throw new Error(`\`${id}\` was not written`);
  return stored;
}

/** Reopens a gate for a new answer (A4-3, A4-23), and resets the count of invalid answers. */
export const reopenGate = internal("reopen-gate", reopen);

async function reopen(
  engine: Engine,
  { session, gate }: Pick<GateQuestion, "session" | "gate">,
  call: Admitted,
): Promise<Verdict> {
  const id = gateKey(session, gate);
  return settle(engine, { operation: "reopen", input: { id }, call: withoutKey(call) }, async () => {
    const before = await readDecision(engine, id);
    if (before === undefined) return { verdict: deny("R-IN-001", `\`${id}\` has not been asked yet`) };
    const wasPending = before.state === "pending";
    if (wasPending && before.data?.invalid === 0) return { verdict: allow({ id }) };
    const draft = new Draft(engine, { by: call, cause: "reopen" });
    const entry = reopened(before, wasPending ? before.askedAt : draft.at);
    if (!wasPending) noteAsked(draft, entry);
    return { verdict: allow({ id }), change: await draft.toChange({ decisions: [entry] }) };
  });
}

/** The same question without an answer, and with the count of invalid answers reset. */
export function reopened(decision: Decision, askedAt: string): Decision {
  const data = { ...decision.data, invalid: 0 };
  return { ...decision, data, state: "pending", answer: null, answeredAt: null, askedAt };
}

async function readDecision({ ledger }: Engine, id: string): Promise<Decision | undefined> {
  return (await ledger.decisions()).find((one) => one.id === id);
}

function noteAsked(draft: Draft, { id, kind, task }: Decision): void {
  draft.note({ type: "decision.asked", task, from: null, to: null, data: { id, kind } });
}

function dataOf({ session, gate, data = {} }: GateQuestion): DecisionData {
  return { ...data, session, stateContext: gate, fromSecurity: false };
}

/** The documents that the person saw when last asked, if they have changed since. */
function earlierDocuments(
  before: Decision | undefined,
  { data }: GateQuestion,
): Pick<DecisionData, "before"> {
  const seen = before?.data?.documents;
  if (seen === undefined || canonicalJson(seen) === canonicalJson(data?.documents)) return {};
  return { before: seen };
}

function isSame({ question, options, data }: Decision, asked: GateQuestion): boolean {
  const { invalid: _invalid, before: _before, ...rest } = data ?? {};
  return (
    canonicalJson([question, options, rest]) === canonicalJson([asked.question, asked.options, dataOf(asked)])
  );
}
