import { assignmentOf, universalInput } from "../../clients/input/universal-input.ts";
import { refsOf } from "../../core/names/ref-names.ts";
import { isMeta, taskKey } from "../../core/names/task-name.ts";
import type { Review } from "../../ledger/event-data.ts";
import { askForAnswer } from "../attempt/ask-for-answer.ts";
import { openReviewPlace } from "../attempt/review-place.ts";
import type { RunContext, RunTask } from "../attempt/run-context.ts";
import { lendSession } from "../attempt/session-files.ts";
import { changedFiles } from "./changed-files.ts";
import { reviewRole } from "./choose-reviewers.ts";
import { readReview } from "./read-review.ts";
import { promptToReview, type ReviewWish } from "./review-prompt.ts";

/** A piece of work and what it was made from. */
export interface Work {
  readonly commit: string;
  readonly base: string;
}

export interface ReviewAsked {
  readonly agent: string;
  /** What it is to look at; null: everything. */
  readonly focus: string | null;
  /** As which it looks at the work, where that is not its own. */
  readonly role?: string;
  /** A check that fails on it, where it is to find out why. */
  readonly failing?: ReviewWish["failing"];
  readonly stop: AbortSignal;
}

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
  const role = asked.role ?? reviewRole(context.config, agent.name);
  const input = await inputFor(context, task, work, { ...asked, role });
  const place = { task: task.plan.id, attempt: input.attempt, ...work, agent };
  using opened = await openReviewPlace(context, place);
  lendSession(context, opened.checkout);
  // Of the whole session's work nobody but a reviewer says anything.
  const who = isMeta(task.key) ? "" : `${agent.name}: `;
  const say = (text: string) => context.onTask(task.key, { type: "said", text: `${who}${text}` });
  opened.notes.forEach(say);
  const found = await askForAnswer(context, {
    ...{
      agent,
      place: opened,
      input,
      prompt: promptToReview(input, { role, root: context.repository.root }),
      env: {},
    },
    onEvent: (event) =>
      event.type === "said" && event.text !== "" ? say(event.text) : context.onTask(task.key, event),
    follow: (stop) => followed(asked.stop, stop),
    read: async (answer) => readReview(answer, { task: task.plan.id, role }),
    say,
  });
  if ("unanswered" in found) return { failed: found.unanswered };
  return { agent: agent.name, focus: asked.focus, ...found };
}

async function inputFor(
  context: RunContext,
  { plan, packet }: RunTask,
  work: Work,
  { role, focus, failing }: Pick<ReviewAsked, "focus" | "failing"> & { readonly role: string },
) {
  const { config, repository, session, engine } = context;
  const attempt = (await engine.ledger.task(taskKey(session, plan.id)))?.attempts ?? 1;
  const files = [...new Set([...plan.context_files, ...(context.filesFor?.(role) ?? [])])];
  const input = universalInput(
    { ...plan, context_files: files },
    {
      // It writes nothing.
      assignment: { ...assignmentOf(plan, packet.assignment.worklog_path), lock_scope: [] },
      attempt,
      fixDelta: null,
      branch: repository.base,
      projectType: config.project_type,
      role,
      changedFiles: await changedFiles(repository.root, work.base, work.commit),
    },
  );
  const ref = refsOf({ session, task: plan.id, attempt }).work;
  const wish: ReviewWish = { ...work, ref, look_at: focus, ...(failing === undefined ? {} : { failing }) };
  return { ...input, review: wish };
}

function followed(signal: AbortSignal, stop: () => void): Disposable {
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop);
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", stop) };
}
