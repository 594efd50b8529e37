import { createHmac, timingSafeEqual } from "node:crypto";
import { hasLapsed } from "../../core/leases/lease.ts";
import { unknownTask } from "../../core/names/task-name.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Attempt, Ledger } from "../../ledger/ledger.ts";
import { StoreFault } from "../../ledger/store-fault.ts";
import type { Call, Engine } from "./engine.ts";

/** The token is derived from the attempt, so that tokens are never stored. */
export function tokenOf(ledger: Ledger, task: string, epoch: number): string {
  return createHmac("sha256", ledger.secret()).update(`${task}\n${epoch}`).digest("base64url");
}

/** INV-2: a call with an epoch other than the current one is refused. */
export function checkEpoch(
  { ledger }: Pick<Engine, "ledger">,
  task: string,
  attempt: Attempt | undefined,
  call: Call,
): Deny | undefined {
  const current = attempt?.epoch ?? 0;
  if (call.epoch !== undefined && call.epoch !== current)
    return stale(`epoch ${call.epoch} of task \`${task}\` is not current`, { task, current });
  if (call.role === "attempt" && call.epoch === undefined)
    return deny("R-LS-001", "an agent with a task must name its epoch: `--epoch N`", {
      task_id: task,
      field: "epoch",
    });
  if (call.token !== undefined && !sameToken(call.token, tokenOf(ledger, task, current)))
    return stale(`the token does not belong to task \`${task}\` in epoch ${current}`, { task, current });
  return undefined;
}

/** As `checkEpoch`, for the agent that works: an expired lease is over even before the watchdog notices. */
export function checkFence(
  engine: Pick<Engine, "ledger" | "clock">,
  task: string,
  attempt: Attempt | undefined,
  call: Call,
): Deny | undefined {
  const refused = checkEpoch(engine, task, attempt, call);
  if (refused !== undefined || attempt === undefined) return refused;
  const { leaseState, lease, epoch: current } = attempt;
  if (leaseState === "over") return stale(`the lease of task \`${task}\` is over`, { task, current });
  if (leaseState !== "running" || !hasLapsed(lease, engine.clock.now())) return undefined;
  return stale(`the lease of task \`${task}\` expired ${lease.timeoutSeconds} s after its last heartbeat`, {
    task,
    current,
  });
}

function stale(why: string, { task, current }: { task: string; current: number }): Deny {
  return deny("R-LS-001", `${why}: stop working; the task must be dispatched again`, {
    task_id: task,
    current_epoch: current,
  });
}

function sameToken(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const roundsMax = 100;

export interface Loaded {
  readonly task: Task;
  readonly attempt: Attempt | undefined;
}

/**
 * Loads a task with its attempt. The task is read first: decisions are committed against that version of the
 * task, so that an attempt that was replaced in the meantime cannot pass as the current one (INV-2).
 */
export async function loadTask({ ledger }: Pick<Engine, "ledger">, key: string): Promise<Loaded | undefined> {
  for (let round = 0; round < roundsMax; round += 1) {
    const task = await ledger.task(key);
    if (task === undefined) return undefined;
    const attempt = task.attempts === 0 ? undefined : await ledger.attempt(key);
    if ((attempt?.epoch ?? 0) === task.epoch) return { task, attempt };
  }
  throw new StoreFault("corrupt", `task \`${key}\` and its attempt do not match: run \`lockstep reconcile\``);
}

/** Loads the task and its attempt, and checks that the caller is current. */
export async function fencedTask(
  engine: Pick<Engine, "ledger" | "clock">,
  key: string,
  call: Call,
): Promise<Loaded | Deny> {
  const loaded = await loadTask(engine, key);
  return checkFence(engine, key, loaded?.attempt, call) ?? loaded ?? unknownTask(key);
}
