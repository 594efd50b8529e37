import { branchOf } from "../../../core/names/ref-names.ts";
import { copyName, sessionPath } from "../../../core/names/session-paths.ts";
import type { Deny, Details } from "../../../core/rules/verdict.ts";
import { keepHookContext } from "../../../engine/attempts/keep-hook-context.ts";
import type { Call } from "../../../engine/change/engine.ts";
import { operate } from "../../../engine/operate.ts";
import type { HookContext, HookPoint } from "../../../hooks/lifecycle/hook.ts";
import { defaultHooks, resolveHooks } from "../../../hooks/lifecycle/resolve-hooks.ts";
import { type HooksRun, runHooks } from "../../../hooks/lifecycle/run-hooks.ts";
import { type Remediate, submitWithRemediation } from "../../../hooks/lifecycle/submit-with-remediation.ts";
import type { Collected } from "../../../workspace/checkouts/collect-work.ts";
import type { RunContext, RunTask } from "../../attempt/run-context.ts";
import type { Waiting } from "../../review/review-work.ts";
import { type HookedWork, HookWorld } from "./hook-world.ts";

export interface Passing extends HookedWork {
  /** The agent that did the work; its hooks have precedence over those of the task type. */
  readonly agent: string;
  /** With the epoch of an open attempt, so that results of an attempt that is over are refused. */
  readonly call: Call;
}

export type Passed =
  /** `collected`: the new work, if the hooks changed it. */
  | { readonly ok: true; readonly context: Details; readonly collected: Collected | undefined }
  | ({ readonly ok: false; readonly refused: Deny } & Waiting);

/** Runs the hooks of a hook point. Before a submission the agent may fix a failure once. */
export async function passPoint(
  context: RunContext,
  passing: Passing,
  point: HookPoint,
  remediate?: Remediate,
): Promise<Passed> {
  const { task, agent, call } = passing;
  const hooks = resolveHooks(context.config, point, task.plan.type, agent);
  if (hooks.length === 0) return { ok: true, context: {}, collected: undefined };
  using _alive = keepAlive(context, passing);
  const world = new HookWorld(context, passing);
  const ports = await world.ports();
  const kept = (await context.engine.ledger.task(task.key))?.hookContext ?? {};
  const hookContext = contextFor(context, task, { point, agent, worktree: world.worktree });
  const warnings: string[] = [];
  const run = async (more: Details): Promise<HooksRun> => {
    const extra = { ...kept, skip_pr: task.plan.skip_pr, ...more };
    const ran = await runHooks(hooks, { ...hookContext, extra }, ports);
    for (const { hook, status, message } of ran.results)
      if (status !== "SKIP" || hooks !== defaultHooks[point])
        context.onTask(task.key, { type: "said", text: `${point}: ${hook}: ${status}: ${message}` });
    warnings.push(...ran.warnings);
    return ran;
  };
  const done = await submitWithRemediation(
    run,
    remediate === undefined
      ? undefined
      : async (prompt, limits) => {
          await remediate(prompt, limits);
          await world.collectAgain();
        },
  );
  const { results, context: found } = done;
  await keepHookContext(context.engine, { task: task.key, point, results, context: found }, call);
  for (const warning of warnings)
    context.remember("progress.md", `${task.key}: warning, ${point}: ${warning}; nothing is undone`);
  if (done.ok) return { ok: true, context: found, collected: world.collected };
  return { ok: false, refused: needsContinuation(done.refused, point), ...world.waiting };
}

/** Sends heartbeats while hooks run, because they may take longer than the agent may be silent. Ignores refusals, which
 * the submission reports. */
function keepAlive({ engine }: RunContext, { task, place, call }: Passing): Disposable {
  if (place === undefined) return { [Symbol.dispose]: () => {} };
  const beat = () => operate(engine, "heartbeat", { task: task.key }, call).catch(() => {});
  const timer = setInterval(() => void beat(), task.plan.heartbeat_interval_seconds * 1000);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function needsContinuation(refused: Deny, point: HookPoint): Deny {
  return { ...refused, details: { ...refused.details, point, needs_continuation: "hook_failure" } };
}

function contextFor(
  { repository, session }: RunContext,
  { plan }: RunTask,
  {
    point,
    agent,
    worktree,
  }: { readonly point: HookPoint; readonly agent: string; readonly worktree: string },
): HookContext {
  return {
    hook_point: point,
    task_id: plan.id,
    task_title: plan.title,
    task_path: sessionPath(session, copyName),
    task_type: plan.type,
    branch_name: branchOf(plan.id),
    base_branch: repository.base,
    worktree,
    agent_name: agent,
    // Work is handed in as one commit, whatever the agent committed.
    commits_count: 1,
    extra: {},
  };
}
