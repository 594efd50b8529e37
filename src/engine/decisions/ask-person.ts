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
  /** The task, or the branch where there is no task. */
  readonly task: string;
  readonly question: string;
  readonly options: readonly string[];
  /** What tells this question from others: the same is not asked twice. */
  readonly about: readonly string[];
  /** True for a decision whose answer counts for this one too; without it, only the same question's does. */
  covers?(decision: Decision): boolean;
  /** The work that the answer is about: other work is asked for anew, and nobody needs an answer about this one then. */
  readonly commit?: string;
  /** An answer counts once: after it, the same is asked anew. */
  readonly onceOnly?: boolean;
  /** Whoever cancelled it is not asked again. */
  readonly cancelledCounts?: boolean;
  readonly data: DecisionData;
}

/** What a person says to a question, which is asked unless it was before. A dry run asks nobody. */
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
  if (asked.covers !== undefined) return true; // it does not cover what is asked now
  return asked.commit !== undefined && data?.commit !== asked.commit;
}

/** A digest: the words themselves are stored masked. */
function digestOf({ about }: Question): string {
  return createHash("sha256").update(about.join("\n")).digest("hex");
}
