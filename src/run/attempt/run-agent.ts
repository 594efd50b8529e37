import type { AgentEvent } from "../../clients/agent.ts";
import { endAgentProcesses } from "../../workspace/process/agent-processes.ts";
import type { Agent } from "./agents.ts";
import { attemptEnv, type OpenAttempt } from "./attempt.ts";
import { type Asking, type Conversed, converse, type Question } from "./converse.ts";
import { Heartbeats } from "./heartbeats.ts";
import { purposes } from "./purposes.ts";
import type { RunContext, RunTask } from "./run-context.ts";
import { SessionFiles } from "./session-files.ts";
import { OwnLimits, type Watch } from "./watch.ts";
import { openWorkplace, type Workplace, type WorkplaceOptions } from "./workplace.ts";

/** One agent, run for one purpose. */
export interface AgentRun<Answer extends object, End> {
  readonly purpose: Exclude<keyof typeof purposes, "fix">;
  readonly task: RunTask;
  readonly agent: Agent;
  readonly tree: Pick<WorkplaceOptions, "attempt" | "base" | "commit" | "lockScope" | "isFresh">;
  readonly stop: AbortSignal;
  /** The attempt in the ledger whose lease, budgets and usage apply; absent: the agent has limits of its own. */
  readonly attempt?: OpenAttempt;
  tell(event: AgentEvent): void;
  /** The question, once the workplace is open; or the end, if there is nothing left to ask. */
  ask(place: Workplace, watch: Watch): Promise<Question<Answer> | { readonly end: End }>;
  /** Handles the result. The workplace is still open. */
  settle(talked: Conversed<Answer>, asked: Asked<Answer>): Promise<End>;
}

export interface Asked<Answer extends object> extends Asking<Answer> {
  /** The session's files in the workplace. */
  readonly sessionFiles: SessionFiles;
}

/** The one way to run an agent: open a workplace, ask, follow, read the answer, handle the result. */
export async function runAgent<Answer extends object, End>(
  context: RunContext,
  run: AgentRun<Answer, End>,
): Promise<End> {
  const { task, agent, attempt, stop, tell } = run;
  const purpose = purposes[run.purpose];
  const options = { ...run.tree, task: task.plan.id, agent, hasTask: attempt !== undefined };
  using place = await openWorkplace(context, purpose, options);
  for (const text of place.notes) tell({ type: "said", text });
  const sessionFiles = new SessionFiles(context, task, place.checkout);
  using slot = attempt === undefined ? undefined : await context.slots.take();
  const watch = watchOf(context, run);
  const question = await run.ask(place, watch);
  if ("end" in question) return question.end;
  const { folder } = place.checkout;
  const env =
    attempt === undefined || slot === undefined
      ? {}
      : attemptEnv(context, task, { ...attempt, folder, slot });
  const asked = { ...question, purpose, agent, place, sessionFiles, env, watch, stop, tell };
  return run.settle(await converseToEnd(context, asked, attempt), asked);
}

async function converseToEnd<Answer extends object>(
  context: RunContext,
  asking: Asking<Answer>,
  attempt: OpenAttempt | undefined,
): Promise<Conversed<Answer>> {
  try {
    return await converse(context, asking);
  } finally {
    // Without a sandbox, processes that the agent started in sessions of their own survive it. The sandbox of an agent
    // that was stopped ends its processes a moment later.
    if (attempt !== undefined && (!asking.place.sandboxed || asking.stop.aborted))
      await endAgentProcesses(attempt.started.token);
  }
}

function watchOf(
  { engine }: RunContext,
  { task, attempt, stop, agent, tell }: Omit<AgentRun<object, unknown>, "ask" | "settle">,
): Watch {
  if (attempt !== undefined) return heartbeatsOf(engine, task.key, attempt, stop);
  const warn = (text: string) => tell({ type: "said", text });
  return new OwnLimits({ name: agent.name, limits: engine.limits, stop, warn });
}

/** With a shared ledger, the agent stops on its own if its lease cannot be renewed. */
function heartbeatsOf(
  engine: RunContext["engine"],
  task: string,
  { call, started }: OpenAttempt,
  stop: AbortSignal,
): Heartbeats {
  const followed = { task, call, stop };
  if (engine.machine === undefined) return new Heartbeats({ engine }, followed);
  const leaseMs = Date.parse(started.lease_expires_at) - engine.clock.now().wallMs;
  return new Heartbeats({ engine }, { ...followed, leaseMs });
}
