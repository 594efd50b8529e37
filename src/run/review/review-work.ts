import { type Deny, deny } from "../../core/rules/verdict.ts";
import { makersOf, recordReview, reviewsOf } from "../../engine/attempts/record-review.ts";
import { askSecurity } from "../../engine/decisions/ask-security.ts";
import type { Review } from "../../ledger/event-data.ts";
import { tryGit } from "../../workspace/git/run-git.ts";
import type { RunContext, RunTask } from "../attempt/run-context.ts";
import { askReviewer, type ReviewAsked, type Work } from "./ask-reviewer.ts";
import { gatekeeperFor, reviewersOf } from "./choose-reviewers.ts";

export type Reviewed =
  | { readonly ok: true; readonly reviews: readonly Review[] }
  | ({ readonly ok: false; readonly refused: Deny } & Waiting);

export interface Waiting {
  /** Nobody found fault with the work, but only a person can go on. */
  readonly waiting: boolean;
  /** It waits only for this agent, which has no quota or no login now. */
  readonly resting?: string;
}

/** Asks all who review tasks of this type; none is asked twice about the same work, nor about its own. */
export async function reviewWork(
  context: RunContext,
  task: RunTask,
  { commit, stop }: { readonly commit: string; readonly stop: AbortSignal },
): Promise<Reviewed> {
  const makers = await makersOf(context.engine, task.key);
  const asked = context.reviewersFor?.(task).filter((name) => !makers.has(name));
  const agents = asked ?? reviewersOf(context.config, { type: task.plan.type, makers });
  if (agents.length === 0) return { ok: true, reviews: [] };
  const work = await workOf(context, commit);
  const all = await Promise.all(
    agents.map((agent) => reviewBy(context, task, work, { agent, focus: null, makers, stop })),
  );
  return together(all);
}

/** Asks one gatekeeper about one thing, such as `qa`. */
export async function reviewFor(
  context: RunContext,
  task: RunTask,
  { name, commit, stop }: { readonly name: string; readonly commit: string; readonly stop: AbortSignal },
): Promise<Reviewed> {
  const makers = await makersOf(context.engine, task.key);
  const agent = gatekeeperFor(context.config, { type: task.plan.type, makers }, name);
  if (agent === undefined)
    return waits(
      deny("R-HK-001", `only the agents that worked on \`${name}\` could approve it: add a gatekeeper`),
    );
  return reviewBy(context, task, await workOf(context, commit), { agent, focus: name, makers, stop });
}

/** By where it forks from the base: that goes on meanwhile. */
export async function workOf(context: RunContext, commit: string): Promise<Work> {
  const { root, baseCommit } = (await context.atBase()).repository;
  const { exit, stdout } = await tryGit(root, ["merge-base", baseCommit, commit]);
  return { commit, base: exit === 0 ? stdout.toString("utf8").trim() : baseCommit };
}

async function reviewBy(
  context: RunContext,
  task: RunTask,
  work: Work,
  asked: ReviewAsked,
): Promise<Reviewed> {
  const { engine, call } = context;
  const { agent, focus } = asked;
  const of = { task: task.key, commit: work.commit };
  const own = context.agents.standIns(agent);
  const known = (await reviewsOf(engine, of)).findLast((one) => own.has(one.agent) && one.focus === focus);
  const review = known ?? (await askReviewer(context, task, work, asked));
  if ("unanswered" in review) {
    const reason = `\`${agent}\` could not review it: ${review.unanswered.split("\n")[0]}`;
    const rests = review.how === "resting" ? { resting: agent } : {};
    return { ...waits(deny("R-AG-001", reason, { agent })), ...rests };
  }
  const by = { ...call, as: `agent ${review.agent}` };
  if (known === undefined) await recordReview(engine, { ...of, review }, by);
  return review.verdict === "undecided" ? askWhether(context, of, review) : verdictOf(review);
}

/** What only a person can decide, where somebody asked for it. */
async function askWhether(
  { engine, call }: RunContext,
  of: { readonly task: string; readonly commit: string },
  review: Review,
): Promise<Reviewed> {
  const decision = await askSecurity(engine, { ...of, ...review }, call);
  if (decision?.answer === "approved") return verdictOf({ ...review, verdict: "approved" });
  if (decision?.answer?.startsWith("refused")) return verdictOf({ ...review, verdict: "refused" });
  const next = `\`lockstep decide ${decision?.id} approved\``;
  const { agent, summary, findings } = review;
  return waits(
    deny("R-PC-003", `\`${agent}\` leaves it to a person: ${summary}: ${next}`, {
      agent,
      findings,
      decision: decision?.id,
    }),
  );
}

function verdictOf(review: Review): Reviewed {
  if (review.verdict === "approved") return { ok: true, reviews: [review] };
  const { agent, summary, findings } = review;
  const refused = deny("R-PC-002", `\`${agent}\` reviewed the work and refused it: ${summary}`, {
    agent,
    findings,
  });
  return { ok: false, refused, waiting: false };
}

function waits(refused: Deny) {
  return { ok: false, refused, waiting: true } as const;
}

/** A refusal counts before a wait, an agent that can be asked again before a person, and all findings are told at once. */
function together(all: readonly Reviewed[]): Reviewed {
  const out = all.flatMap((one) => (one.ok ? [] : [one]));
  const [first, ...more] = out.filter(({ waiting }) => !waiting);
  if (first === undefined)
    return (
      out.find(({ resting }) => resting) ??
      out[0] ?? { ok: true, reviews: all.flatMap((one) => (one.ok ? one.reviews : [])) }
    );
  const also = more.map(({ refused: { reason, details } }) => ({ reason, findings: details.findings }));
  const { refused } = first;
  const details = also.length === 0 ? refused.details : { ...refused.details, also };
  return { ...first, refused: { ...refused, details } };
}
