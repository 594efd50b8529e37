import { askAgain } from "../../clients/answer/read-answer.ts";
import { assignmentOf, universalInput } from "../../clients/input/universal-input.ts";
import type { Review } from "../../engine/record-review.ts";
import { refsOf } from "../../workspace/checkouts/attempt-refs.ts";
import { askAgent } from "../conduct/ask-agent.ts";
import type { RunContext, RunTask } from "../conduct/run-context.ts";
import { changedFiles } from "./changed-files.ts";
import { reviewRole } from "./choose-reviewers.ts";
import { readReview } from "./read-review.ts";
import { openReviewPlace } from "./review-place.ts";
import { promptToReview } from "./review-prompt.ts";

/** A piece of work and what it was made from. */
export interface Work {
  readonly commit: string;
  readonly base: string;
}

export interface ReviewAsked {
  readonly agent: string;
  /** What it is to look at; null: everything. */
  readonly focus: string | null;
  readonly stop: AbortSignal;
}

/** S4: an agent that gives no valid answer is asked twice more. */
const asksMax = 3;

/** Lets one agent look at another's work; or says why it came to no verdict. */
export async function askReviewer(
  context: RunContext,
  task: RunTask,
  work: Work,
  asked: ReviewAsked,
): Promise<Review | { readonly failed: string }> {
  const unusable = await context.agents.prepare([asked.agent]);
  if (unusable !== undefined) return { failed: unusable.reason };
  const agent = context.agents.get(asked.agent);
  const role = reviewRole(context.config, agent.name);
  const input = await inputFor(context, task, work, asked.focus);
  const place = { task: task.plan.id, attempt: input.attempt, ...work, agent };
  using opened = await openReviewPlace(context, place);
  const say = (text: string) => context.onTask(task.key, { type: "said", text: `${agent.name}: ${text}` });
  opened.notes.forEach(say);
  let [prompt, resume] = [promptToReview(input, role), undefined as string | undefined];
  for (let asks = 1; ; asks += 1) {
    const { end, conversation } = await askAgent(context, {
      ...{ agent, place: opened, input, prompt, env: {} },
      ...(resume === undefined ? {} : { resume }),
      onEvent: (event) => (event.type === "said" ? say(event.text) : context.onTask(task.key, event)),
      follow: (stop) => followed(asked.stop, stop),
    });
    if (end.how !== "done" && end.how !== "failed") return { failed: "reason" in end ? end.reason : end.how };
    const read =
      end.how === "failed"
        ? { invalid: `${end.reason}\n${end.output}`.trim() }
        : readReview(end.answer, { task: { id: task.plan.id, criteria: [], worklogPath: undefined }, role });
    if (!("invalid" in read)) return { agent: agent.name, focus: asked.focus, ...read };
    say(`its answer cannot be used: ${read.invalid}`);
    if (asks === asksMax) return { failed: `its answer cannot be used: ${read.invalid}` };
    // Only in its own conversation does it know what it answered.
    if (end.how === "done" && agent.can.resume && conversation !== undefined)
      [prompt, resume] = [askAgain(read.invalid), conversation];
  }
}

async function inputFor(context: RunContext, { plan, packet }: RunTask, work: Work, focus: string | null) {
  const { config, repository, session, engine } = context;
  const attempt = (await engine.ledger.task(`${session}/${plan.id}`))?.attempts ?? 1;
  const input = universalInput(plan, {
    // It writes nothing.
    assignment: { ...assignmentOf(plan, packet.assignment.worklog_path), lock_scope: [] },
    attempt,
    fixDelta: null,
    branch: repository.base,
    projectType: config.project_type,
    changedFiles: await changedFiles(repository.root, work.base, work.commit),
  });
  const ref = refsOf({ session, task: plan.id, attempt }).work;
  return { ...input, review: { ...work, ref, look_at: focus } };
}

function followed(signal: AbortSignal, stop: () => void): Disposable {
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop);
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", stop) };
}
