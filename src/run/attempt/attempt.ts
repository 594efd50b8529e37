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

/** An attempt at a task in the ledger, and what there was before it. */
export interface OpenAttempt {
  readonly started: Started;
  /** With the attempt's epoch. */
  readonly call: Call;
  readonly before: Task | undefined;
  readonly previous: Attempt | undefined;
}

/** Dispatches a task; what an earlier process left of the attempt before it is ended. */
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
  // What a dead run left behind must not work in the same checkout.
  if (previous !== undefined && previous.runner?.pid !== process.pid) await awaitAgentsEnd(engine, previous);
  return { started, call: { ...call, epoch: started.epoch }, before, previous };
}

/** What an agent with an attempt finds in its environment. */
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

/** A living run hears of it by its next heartbeat and has its agent ended well within this time. */
const patienceMs = 8_000;
const pauseMs = 100;

/** Who started the agent ends it; where nobody is left who could, this does. */
export async function awaitAgentsEnd(
  { ledger, isAlive }: Pick<Engine, "ledger" | "isAlive">,
  {
    task,
    epoch,
    runner,
  }: { readonly task: string; readonly epoch: number; readonly runner: ProcessIdentity | null },
): Promise<void> {
  const token = tokenOf(ledger, task, epoch);
  const deadline = performance.now() + (runner !== null && isAlive(runner) ? patienceMs : 0);
  while (performance.now() < deadline && findAgentProcesses(token).length > 0) await sleep(pauseMs);
  await endAgentProcesses(token);
}
