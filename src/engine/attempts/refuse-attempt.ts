import { factsOf, rules } from "../../core/points/pre-execution.ts";
import { decide } from "../../core/rules/rule.ts";
import { allow, type Deny, type Verdict } from "../../core/rules/verdict.ts";
import { isIn, type Task } from "../../core/tasks/task.ts";
import type { Admitted } from "../change/door.ts";
import { internal } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine, Store } from "../change/engine.ts";
import { fencedTask } from "../change/fence.ts";
import { listLocks } from "../change/list-locks.ts";
import { fingerprintOf, refusalOf } from "../change/refusals.ts";
import { settle } from "../change/settle.ts";

/** PreExecution for a dispatched attempt: its dependencies, its locks, and its working folder. */
export const checkStart = internal("check-start", judgeStart);

async function judgeStart(
  engine: Engine,
  { task: key, folder }: { readonly task: string; readonly folder: string },
  call: Admitted,
): Promise<Verdict> {
  const task = await engine.ledger.task(key);
  const dependencies = await Promise.all(
    (task?.dependsOn ?? []).map(async (id) => ({
      task_id: id,
      status: wordFor(await engine.ledger.task(id)),
    })),
  );
  const { locks } = await listLocks(engine);
  const paths = locks.filter(({ kind }) => kind === "path");
  const payload = {
    task_id: key,
    assignment: task?.assignment ?? {},
    dependencies,
    active_locks: paths,
    sandbox: { ready: true, root: folder },
  };
  const verdict = await decide(rules, factsOf(payload, engine.world));
  return verdict.allow ? verdict : refuseAttempt(engine, { task: key, refused: verdict }, call);
}

function wordFor(task: Task | undefined): string {
  return task !== undefined && isIn(task) ? "MERGED" : "PENDING";
}

/**
 * Refuses work in progress before it is submitted, because of a rule or a hook (S0: blocked, with its code and
 * reason).
 */
export const refuseAttempt = internal("refuse-attempt", refuse);

function refuse(
  engine: Store,
  { task: key, refused }: { readonly task: string; readonly refused: Deny },
  call: Admitted,
): Promise<Deny | Verdict> {
  return settle(engine, { operation: "submit", input: { task: key, refused }, call }, async () => {
    const fenced = await fencedTask(engine, key, call);
    if ("allow" in fenced) return { verdict: fenced };
    const draft = new Draft(engine, { by: call, cause: "submit" }).seen(fenced);
    const refusal = refusalOf(refused);
    const event = { type: "deny", refusal, fingerprint: fingerprintOf(refusal) } as const;
    const moved = await draft.apply(fenced.task, event, "system");
    if ("allow" in moved) return { verdict: moved };
    const details = { ...refused.details, state: moved.state };
    return { verdict: { ...refused, details }, change: await draft.toChange() };
  });
}

/** Ends an attempt for an external reason, such as a client without quota: it costs no retry. */
export const putBack = internal("put-back", lose);

function lose(
  engine: Engine,
  { task: key, reason }: { readonly task: string; readonly reason: string },
  call: Admitted,
): Promise<Verdict> {
  return settle(engine, { operation: "release", input: { task: key, reason }, call }, async () => {
    const fenced = await fencedTask(engine, key, call);
    if ("allow" in fenced) return { verdict: fenced };
    const draft = new Draft(engine, { by: call, cause: "release" }).seen(fenced);
    const moved = await draft.apply(fenced.task, { type: "lose", reason }, "system");
    if ("allow" in moved) return { verdict: moved };
    return { verdict: allow({ task_id: key, state: moved.state }), change: await draft.toChange() };
  });
}
