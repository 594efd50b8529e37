import { field } from "../../core/points/fields.ts";
import type { Deny } from "../../core/rules/verdict.ts";
import { makersOf, recordReview } from "../../engine/record-review.ts";
import type { RunContext, RunTask } from "../conduct/run-context.ts";
import { askReviewer } from "./ask-reviewer.ts";
import { workOf } from "./review-work.ts";

/**
 * Where tests fail on somebody's work, a QA agent that had no part in it finds out why (S1-089): whoever mends it is
 * told what was found, beside the output. Whatever comes of that, the work stays refused. In a session QA has a part
 * of its own.
 */
export async function investigate(
  context: RunContext,
  task: RunTask,
  { commit, refused, stop }: { readonly commit: string; readonly refused: Deny; readonly stop: AbortSignal },
): Promise<Deny> {
  const failing = failingIn(refused);
  const agent = await investigatorOf(context, task);
  if (failing === undefined || agent === undefined || context.reviewersFor !== undefined) return refused;
  const asked = { agent, focus: `why \`${failing.command}\` fails`, failing, role: "QA", stop };
  const review = await askReviewer(context, task, await workOf(context, commit), asked);
  if ("failed" in review) {
    const text = `\`${agent}\` could not look into it: ${review.failed.split("\n")[0]}`;
    context.onTask(task.key, { type: "said", text });
    return refused;
  }
  await recordReview(context.engine, { task: task.key, commit, review }, context.call);
  const { summary, findings } = review;
  return { ...refused, details: { ...refused.details, investigation: { agent, summary, findings } } };
}

function failingIn({ details }: Deny) {
  const [command, output] = [field(details, "command"), field(details, "output")];
  return typeof command === "string" && typeof output === "string" ? { command, output } : undefined;
}

async function investigatorOf({ config, engine }: RunContext, { key }: RunTask): Promise<string | undefined> {
  const makers = await makersOf(engine, key);
  return Object.keys(config.agents).find((name) => config.agents[name]?.role === "QA" && !makers.has(name));
}
