import { allow, type Verdict } from "../../core/rules/verdict.ts";
import { dataOf, type Review } from "../../ledger/event-data.ts";
import type { Admitted } from "../change/door.ts";
import { internal } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { settle } from "../change/settle.ts";

interface Reviewed {
  readonly task: string;
  readonly commit: string;
}

export const recordReview = internal("record-review", noteReview);

function noteReview(
  engine: Engine,
  { task, commit, review }: Reviewed & { readonly review: Review },
  call: Admitted,
): Promise<Verdict> {
  const input = { task, commit, agent: review.agent, focus: review.focus };
  return settle(engine, { operation: "review", input, call }, async () => {
    const draft = new Draft(engine, { by: call, cause: "review" });
    draft.note({ type: "task.reviewed", task, from: null, to: null, data: { commit, ...review } });
    return { verdict: allow(), change: await draft.toChange() };
  });
}

/** All reviews of a commit so far. */
export async function reviewsOf({ ledger }: Engine, { task, commit }: Reviewed): Promise<readonly Review[]> {
  const events = await ledger.events({ task, type: "task.reviewed" });
  return events.flatMap((event) => {
    const { commit: about, ...review } = dataOf(event, "task.reviewed") ?? {};
    return about === commit ? [review as Review] : [];
  });
}

/** All agents that made an attempt at a task: each of them is an author of the work. */
export async function makersOf({ ledger }: Engine, task: string): Promise<ReadonlySet<string>> {
  const events = await ledger.events({ task, type: "task.started" });
  return new Set(events.flatMap((event) => dataOf(event, "task.started")?.agent ?? []));
}
