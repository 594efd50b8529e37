import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessIdentity } from "../../core/leases/process-identity.ts";
import type { Deny } from "../../core/rules/verdict.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Call, Engine } from "../../engine/change/engine.ts";
import { tokenOf } from "../../engine/change/fence.ts";
import type { Started } from "../../engine/dispatch/dispatch-task.ts";
import { operate } from "../../engine/operate.ts";
import type { Attempt } from "../../ledger/ledger.ts";
import { endAgentProcesses, findAgentProcesses } from "../../workspace/process/agent-processes.ts";
import type { RunContext, RunTask } from "./run-context.ts";
import type { Slot } from "./slots.ts";

/** An attempt in the ledger, with the task and the attempt before it. */
export interface OpenAttempt {
  readonly started: Started;
  /** With the attempt's epoch. */
  readonly call: Call;
  readonly before: Task | undefined;
  readonly previous: Attempt | undefined;
}

/** Dispatches a task. Ends agent processes that an earlier run has left. */
export async function openAttempt(
  { engine, call, secrets }: RunContext,
  { key }: Pick<RunTask, "key">,
  packetFor: (before: Task | undefined) => Readonly<Record<string, unknown>>,
): Promise<OpenAttempt | Deny> {
  const before = await engine.ledger.task(key);
  const previous = await engine.ledger.attempt(key);
  const packet = packetFor(before);
  const dispatched = await operate(engine, "dispatch", { packet, runnerPid: process.pid }, call);
  if (!dispatched.allow) return dispatched;
  const started = dispatched.details;
  secrets.add(started.token);
  // An agent that a dead run has left must not work in the same checkout.
  if (previous !== undefined && previous.runner?.pid !== process.pid) await awaitAgentsEnd(engine, previous);
  return { started, call: { ...call, epoch: started.epoch }, before, previous };
}

/** The environment variables of an agent with an attempt. */
export function attemptEnv(
  { repository: { root }, socket }: RunContext,
  { key }: Pick<RunTask, "key">,
  { started, folder, slot }: Pick<OpenAttempt, "started"> & { readonly folder: string; readonly slot: Slot },
): Readonly<Record<string, string>> {
  return {
    LOCKSTEP_TASK: key,
    LOCKSTEP_EPOCH: String(started.epoch),
    LOCKSTEP_TOKEN: started.token,
    LOCKSTEP_ROOT: root,
    LOCKSTEP_CHECKOUT: folder,
    LOCKSTEP_SLOT: String(slot.number),
    LOCKSTEP_PORT_BASE: String(slot.portBase),
    COMPOSE_PROJECT_NAME: `lockstep-${key.toLowerCase().replace(/[^a-z0-9_-]+/g, "-")}`,
    ...(socket === undefined ? {} : { LOCKSTEP_SOCKET: socket }),
  };
}

/** A running process notices at its next heartbeat and ends its agent well within this time. */
const patienceMs = 8_000;
const pauseMs = 100;

/** Waits until the run that started the agent has ended it. If that run is gone or too slow, ends the agent itself. */
export async function awaitAgentsEnd(
  { ledger, isAlive }: Pick<Engine, "ledger" | "isAlive">,
  {
    task,
    epoch,
    runner,
  }: { readonly task: string; readonly epoch: number; readonly runner: ProcessIdentity | null },
): Promise<void> {
  const token = tokenOf(ledger, task, epoch);
  const deadline = performance.now() + (runner !== null && isAlive(runner) === "yes" ? patienceMs : 0);
  while (performance.now() < deadline && findAgentProcesses(token).length > 0) await sleep(pauseMs);
  await endAgentProcesses(token);
}
