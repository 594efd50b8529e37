import { createHash } from "node:crypto";
import { allow } from "../../core/rules/verdict.ts";
import type { DecisionData } from "../../ledger/decision-data.ts";
import type { Decision } from "../../ledger/ledger.ts";
import type { Admitted } from "../change/door.ts";
import { internal } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { settle, withoutKey } from "../change/settle.ts";
import { nextDecisionId } from "./decision-ids.ts";

export interface Question {
  readonly kind: Decision["kind"];
  /** The task, or the branch if there is no task. */
  readonly task: string;
  readonly question: string;
  readonly options: readonly string[];
  /** Identifies the question: the same question is not asked twice. */
  readonly about: readonly string[];
  /** True for a decision whose answer also applies to this question; by default, only the same question. */
  covers?(decision: Decision): boolean;
  /**
   * The commit that the answer is about. A new commit is asked about again, and pending questions about old
   * commits are cancelled.
   */
  readonly commit?: string;
  /** An answer counts once; afterwards the same question is asked again. */
  readonly onceOnly?: boolean;
  /** A cancelled question is not asked again. */
  readonly cancelledCounts?: boolean;
  readonly data: DecisionData;
}

/** Asks a person, unless the same question was asked before. A dry run does not ask. */
export const askPerson = internal("ask", ask);

async function ask(engine: Engine, asked: Question, call: Admitted): Promise<Decision | undefined> {
  let found: Decision | undefined;
  const { about } = asked;
  await settle(engine, { operation: "ask", input: { about }, call: withoutKey(call) }, async () => {
    const all = await engine.ledger.decisions();
    found = all.find((one) => isSame(one, asked));
    if (found !== undefined || call.dryRun === true) return { verdict: allow() };
    const draft = new Draft(engine, { by: call, cause: "ask" });
    found = newDecision(asked, nextDecisionId(all), draft.at);
    const old = all.filter((one) => isOverdue(one, asked));
    const decisions = [
      ...old.map((one) => ({ ...one, state: "cancelled", answer: newerWork, answeredAt: draft.at }) as const),
      found,
    ];
    for (const { id, task } of old) {
      const data = { id, answer: newerWork };
      draft.note({ type: "decision.cancelled", task, from: null, to: null, data });
    }
    const data = { id: found.id, kind: asked.kind, ...asked.data };
    draft.note({ type: "decision.asked", task: asked.task, from: null, to: null, data });
    return { verdict: allow(), change: await draft.toChange({ decisions }) };
  });
  return found;
}

const newerWork = "there is newer work";

function newDecision(asked: Question, id: string, askedAt: string): Decision {
  const { kind, task, question, options, commit = null } = asked;
  return {
    ...{ id, version: 0, kind, task, question, options },
    data: { ...asked.data, commit, about: digestOf(asked) },
    ...{ state: "pending", answer: null, askedAt, answeredAt: null },
  };
}

function isSame(one: Decision, asked: Question): boolean {
  const { kind, state, data } = one;
  const counts =
    state === "pending" ||
    (state === "answered" && asked.onceOnly !== true) ||
    (state === "cancelled" && asked.cancelledCounts === true);
  const isAsked = asked.covers?.(one) ?? data?.about === digestOf(asked);
  return kind === asked.kind && counts && isAsked;
}

function isOverdue({ kind, task, state, data }: Decision, asked: Question): boolean {
  if (kind !== asked.kind || task !== asked.task || state !== "pending") return false;
  if (asked.covers !== undefined) return true; // its answer would not apply to the new question
  return asked.commit !== undefined && data?.commit !== asked.commit;
}

/** A digest, because the texts themselves are stored masked. */
function digestOf({ about }: Question): string {
  return createHash("sha256").update(about.join("\n")).digest("hex");
}
