import { createHmac, timingSafeEqual } from "node:crypto";
import { hasLapsed } from "../core/leases/lease.ts";
import { type Deny, deny } from "../core/rules/verdict.ts";
import type { Task } from "../core/tasks/task.ts";
import type { Attempt, Ledger } from "../ledger/ledger.ts";
import type { Call, Engine } from "./engine.ts";
import { unknownTask } from "./known-task.ts";

/** Made from the attempt itself, so that no token is ever stored. */
export function tokenOf(ledger: Ledger, task: string, epoch: number): string {
  return createHmac("sha256", ledger.secret()).update(`${task}\n${epoch}`).digest("base64url");
}

/**
 * INV-2: nothing that carries another epoch than the current one is applied. A lease that has ended is over
 * even before the watchdog takes note of it.
 */
export function checkFence(
  engine: Engine,
  task: string,
  attempt: Attempt | undefined,
  call: Call,
): Deny | undefined {
  const current = attempt?.epoch ?? 0;
  if (call.epoch !== undefined && call.epoch !== current)
    return stale(`epoch ${call.epoch} of task \`${task}\` is not current`, { task, current });
  if (call.role === "attempt" && call.epoch === undefined)
    return deny("R-LS-001", "an agent with a task has to say which epoch it works in: `--epoch N`", {
      task_id: task,
      field: "epoch",
    });
  if (call.token !== undefined && !sameToken(call.token, tokenOf(engine.ledger, task, current)))
    return stale(`the token is not that of task \`${task}\` in epoch ${current}`, { task, current });
  if (attempt === undefined) return undefined;
  if (attempt.leaseState === "over") return stale(`the lease of task \`${task}\` is over`, { task, current });
  if (attempt.leaseState === "running" && hasLapsed(attempt.lease, engine.clock.now()))
    return stale(
      `the lease of task \`${task}\` ran out ${attempt.lease.timeoutSeconds} s after its last heartbeat`,
      {
        task,
        current,
      },
    );
  return undefined;
}

function stale(why: string, { task, current }: { task: string; current: number }): Deny {
  return deny("R-LS-001", `${why}: stop, and let the task be dispatched again`, {
    task_id: task,
    current_epoch: current,
  });
}

function sameToken(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The task and its attempt, for a caller that is the current one. */
export async function fencedTask(
  engine: Engine,
  key: string,
  call: Call,
): Promise<{ readonly task: Task; readonly attempt: Attempt | undefined } | Deny> {
  const attempt = await engine.ledger.attempt(key);
  const stale = checkFence(engine, key, attempt, call);
  if (stale !== undefined) return stale;
  const task = await engine.ledger.task(key);
  return task === undefined ? unknownTask(key) : { task, attempt };
}
