import type { Details } from "../../core/rules/verdict.ts";
import { makersOf, recordReview, reviewsOf } from "../../engine/attempts/record-review.ts";
import type { Review } from "../../ledger/event-data.ts";
import { readRef } from "../../workspace/git/refs.ts";
import type { RunContext, RunTask } from "../attempt/run-context.ts";
import type { Watch } from "../attempt/watch.ts";
import { askReviewer } from "./ask-reviewer.ts";
import { workOf } from "./review-work.ts";

/** The time limit of an investigation, because the agent that fixes the work waits for it. */
const investigationMsMax = 5 * 60_000;
const aliveMs = 1_000;

interface Refused {
  /** The ref of the refused work. */
  readonly ref: string;
  /** The details of the refusal. */
  readonly details: Details;
  /** The watch of the attempt that will fix the work; the investigation ends with that attempt. */
  readonly watch: Watch;
}

/**
 * If tests failed on refused work, a QA agent that did not work on it finds out why (S1-089), and the next attempt gets
 * its findings. Undefined if there is no such agent or it gives no answer. Not in a session, where QA has its own step.
 */
export async function investigate(
  context: RunContext,
  task: RunTask,
  { ref, details, watch }: Refused,
): Promise<Omit<Review, "verdict" | "focus"> | undefined> {
  const failing = failingIn(details);
  const makers = await makersOf(context.engine, task.key);
  const agent = investigatorOf(context, makers);
  if (failing === undefined || agent === undefined || context.reviewersFor !== undefined) return undefined;
  const commit = await readRef(context.repository.root, ref);
  if (commit === undefined) return undefined;
  const of = { task: task.key, commit };
  const focus = `why \`${failing.command}\` fails`;
  const known = (await reviewsOf(context.engine, of)).find((one) => one.focus === focus);
  const over = new AbortController();
  using _watched = watch.watch(() => over.abort());
  using _alive = aliveIn(watch);
  const stop = AbortSignal.any([over.signal, AbortSignal.timeout(investigationMsMax)]);
  const asked = { agent, focus, failing, role: "QA", makers, stop };
  const review = known ?? (await askReviewer(context, task, await workOf(context, commit), asked));
  if ("unanswered" in review) {
    const text = `\`${agent}\` could not investigate the failure: ${review.unanswered.split("\n")[0]}`;
    context.onTask(task.key, { type: "said", text });
    return undefined;
  }
  if (known === undefined) await recordReview(context.engine, { ...of, review }, context.call);
  return { agent: review.agent, summary: review.summary, findings: review.findings };
}

/** Keeps the waiting attempt alive, which prints nothing meanwhile. */
function aliveIn(watch: Watch): Disposable {
  const timer = setInterval(() => watch.see({ type: "said", text: "" }), aliveMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function failingIn({ command, output }: Details) {
  return typeof command === "string" && typeof output === "string" ? { command, output } : undefined;
}

function investigatorOf({ config }: RunContext, makers: ReadonlySet<string>): string | undefined {
  return Object.keys(config.agents).find((name) => config.agents[name]?.role === "QA" && !makers.has(name));
}
