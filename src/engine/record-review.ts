import { field, isStringList } from "../core/points/fields.ts";
import { allow, type Verdict } from "../core/rules/verdict.ts";
import type { Admitted } from "./door.ts";
import { internal } from "./door.ts";
import { Draft } from "./draft.ts";
import type { Engine } from "./engine.ts";
import { settle } from "./settle.ts";

/** What one agent says of another's work. */
export interface Review {
  readonly agent: string;
  /** What it was asked to look at, such as `qa`; null: everything. */
  readonly focus: string | null;
  /** undecided: only a person can say. */
  readonly verdict: "approved" | "refused" | "undecided";
  readonly summary: string;
  readonly findings: readonly string[];
}

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

/** All that was said of a piece of work so far. */
export async function reviewsOf({ ledger }: Engine, { task, commit }: Reviewed): Promise<readonly Review[]> {
  const events = await ledger.events({ task, type: "task.reviewed" });
  return events.flatMap(({ data }) => {
    if (field(data, "commit") !== commit) return [];
    const { agent, focus, verdict, summary, findings } = data as Review;
    return [{ agent, focus, verdict, summary, findings: isStringList(findings) ? findings : [] }];
  });
}

/** Everybody who had a try at a task: the work is theirs, all of them. */
export async function makersOf({ ledger }: Engine, task: string): Promise<ReadonlySet<string>> {
  const events = await ledger.events({ task, type: "task.started" });
  const agents = events.map(({ data }) => field(data, "agent"));
  return new Set(agents.filter((agent) => typeof agent === "string"));
}
