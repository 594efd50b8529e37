import { assignmentOf, universalInput } from "../../clients/input/universal-input.ts";
import { refsOf } from "../../core/names/ref-names.ts";
import { isMeta, taskKey } from "../../core/names/task-name.ts";
import type { Review } from "../../ledger/event-data.ts";
import type { Agent } from "../attempt/agents.ts";
import { type Unanswered, unanswered } from "../attempt/converse.ts";
import { runAgent } from "../attempt/run-agent.ts";
import type { RunContext, RunTask } from "../attempt/run-context.ts";
import { changedFiles } from "./changed-files.ts";
import { reviewRole } from "./choose-reviewers.ts";
import { readReview } from "./read-review.ts";
import { promptToReview, type ReviewRequest } from "./review-prompt.ts";

/** A commit to review and its base. */
export interface Work {
  readonly commit: string;
  readonly base: string;
}

export interface ReviewAsked {
  readonly agent: string;
  /** The aspect to review; null: everything. */
  readonly focus: string | null;
  /** The role in which it reviews, if that is not its own. */
  readonly role?: string;
  /** A check that fails on the work; the reviewer finds out why. */
  readonly failing?: ReviewRequest["failing"];
  /** The agents that did the work; they cannot take over from a paused reviewer. */
  readonly makers: ReadonlySet<string>;
  readonly stop: AbortSignal;
}

/** Asks an agent to review another agent's work. Returns the review, or why there is none. */
export async function askReviewer(
  context: RunContext,
  task: RunTask,
  work: Work,
  asked: ReviewAsked,
): Promise<Review | Unanswered> {
  const unusable = await context.agents.prepare([asked.agent]);
  if (unusable !== undefined) return { unanswered: unusable.reason, how: "failed" };
  const choice = { type: task.plan.type, as: "gatekeeper", makers: asked.makers } as const;
  const agent = context.agents.choose(asked.agent, choice);
  if (agent === undefined) return { unanswered: context.agents.whyResting(asked.agent), how: "resting" };
  const review = await askOne(context, task, work, { ...asked, agent });
  const isResting = "unanswered" in review && review.how === "resting";
  const other = isResting ? context.agents.choose(asked.agent, choice) : undefined;
  // A fallback takes over at once. If the same agent is chosen again, the next review of the work asks it.
  return other === undefined || other === agent ? review : askReviewer(context, task, work, asked);
}

async function askOne(
  context: RunContext,
  task: RunTask,
  work: Work,
  { agent, ...asked }: Omit<ReviewAsked, "agent"> & { readonly agent: Agent },
): Promise<Review | Unanswered> {
  const role = asked.role ?? reviewRole(context.config, agent.name);
  const input = await inputFor(context, task, work, { ...asked, role });
  // Only reviewers write to the log of the whole session, so their lines need no name.
  const who = isMeta(task.key) ? "" : `${agent.name}: `;
  return runAgent<Pick<Review, "verdict" | "summary" | "findings">, Review | Unanswered>(context, {
    ...{ purpose: "judge", task, agent, stop: asked.stop },
    tree: { ...work, attempt: input.attempt, lockScope: [], isFresh: true },
    tell: (event) => {
      const isText = event.type === "said" && event.text !== "";
      context.onTask(task.key, isText ? { ...event, text: `${who}${event.text}` } : event);
    },
    ask: async () => ({
      input,
      prompt: promptToReview(input, { role, root: context.repository.root }),
      read: async (answer) => readReview(answer, { task: task.plan.id, role }),
    }),
    settle: async (talked) =>
      talked.how === "answered"
        ? { agent: agent.name, focus: asked.focus, ...talked.answer }
        : unanswered(talked),
  });
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
      // A reviewer writes nothing.
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
  const request: ReviewRequest = {
    ...work,
    ref,
    look_at: focus,
    ...(failing === undefined ? {} : { failing }),
  };
  return { ...input, review: request };
}
