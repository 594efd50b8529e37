import { setTimeout as sleep } from "node:timers/promises";
import { isIn } from "../../../core/tasks/task.ts";
import { HostRunning } from "../../../server/host.ts";
import { loadPlan } from "../../../workspace/plan/load-plan.ts";
import type { IntegrationContext } from "../../landing/integration.ts";
import { Conductor, type Stops } from "../conduct.ts";
import type { OpenedRun, PreparedRun, RunRequest } from "../open-run.ts";
import { beganElsewhere } from "./began-elsewhere.ts";
import { LedgerFollower } from "./follow-ledger.ts";
import { joinedSessions, joinSession } from "./joined-sessions.ts";

const pauseMs = 300;

interface Ways {
  readonly stops: Stops;
  /** Another process handles the tasks; this one only follows its progress. */
  onWatching(pid: number | undefined): void;
}

/**
 * Runs a plan to its end. If another process conducts a run, that process gets these tasks and this one follows its
 * progress. When that process ends, this one takes over.
 */
export async function runOrJoin(
  context: IntegrationContext,
  request: RunRequest,
  prepared: PreparedRun,
  ways: Ways,
): Promise<void> {
  const opened = await openOrWatch(context, request, prepared, ways);
  if (opened === undefined) return;
  await using run = opened;
  const conductor = await Conductor.open(run.context, ways.stops);
  await conductor.add(run.context, prepared.tasks);
  await conductor.run(newcomers(context, request, run));
}

/** Undefined if nothing is left to do. */
async function openOrWatch(
  context: IntegrationContext,
  request: RunRequest,
  prepared: PreparedRun,
  { stops, onWatching }: Ways,
): Promise<OpenedRun | undefined> {
  const first = await tryOpen(prepared);
  if ("context" in first) return first;
  using _joined = joinSession(request.stateFolder, request.session);
  onWatching(first.pid);
  const follower = await LedgerFollower.open(context.engine.ledger);
  const own = new Set(prepared.tasks.map(({ key }) => key));
  while (!stops.gently.aborted) {
    for (const { task, to } of await follower.news())
      if (task !== null && to !== null && own.has(task)) request.onTask(task, { type: "said", text: to });
    if (await areIn(context, own)) return undefined;
    const opened = await tryOpen(prepared);
    if ("context" in opened) return opened;
    await sleep(pauseMs);
  }
  return undefined;
}

async function tryOpen(prepared: PreparedRun): Promise<OpenedRun | { readonly pid: number | undefined }> {
  try {
    return await prepared.open();
  } catch (error) {
    if (!(error instanceof HostRunning)) throw error;
    return { pid: error.host?.pid };
  }
}

async function areIn({ engine }: IntegrationContext, keys: Iterable<string>): Promise<boolean> {
  for (const key of keys) {
    const task = await engine.ledger.task(key);
    if (task === undefined || !isIn(task)) return false;
  }
  return true;
}

/** The sessions that other processes have handed over since the last call. */
function newcomers(context: IntegrationContext, request: RunRequest, run: OpenedRun) {
  const { config, repository, onProgress } = context;
  const known = new Set<string>();
  return async () => {
    const added = [];
    for (const { session, file, by } of joinedSessions(request.stateFolder)) {
      if (known.has(by)) continue;
      known.add(by);
      const elsewhere = beganElsewhere(context, session);
      if (elsewhere !== undefined) {
        onProgress(
          `${session} began on \`${elsewhere.branch}\`, and this run merges into \`${repository.base}\`: it waits until this run has ended`,
        );
        continue;
      }
      const loaded = loadPlan(file, repository.root, { agents: config.agents, taskTypes: config.task_types });
      const taken =
        "plan" in loaded ? await run.takeIn({ plan: loaded.plan, session: { session, file } }) : undefined;
      if (taken === undefined || "allow" in taken)
        onProgress(`session ${session} cannot join this run: ${taken?.reason ?? "its plan has errors"}`);
      else added.push(taken);
    }
    return added;
  };
}
