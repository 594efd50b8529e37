import { expiresAt } from "../core/leases/lease.ts";
import { allow, type Deny, deny, type Verdict } from "../core/rules/verdict.ts";
import type { Refusal, Task } from "../core/tasks/task.ts";
import type { Attempt } from "../ledger/ledger.ts";
import { Draft } from "./draft.ts";
import type { Call, Engine } from "./engine.ts";
import { fencedTask } from "./fence.ts";
import { type Settled, settle } from "./settle.ts";

export interface HeartbeatInput {
  readonly task: string;
  /** Tokens spent since the last heartbeat. */
  readonly tokens?: number;
}

/** Renews the lease, by the ledger's clock alone. */
export function heartbeat(engine: Engine, input: HeartbeatInput, call: Call): Promise<Verdict> {
  return settle(engine, { operation: "heartbeat", input, call }, () => decideBeat(engine, input, call));
}

async function decideBeat(engine: Engine, input: HeartbeatInput, call: Call): Promise<Settled> {
  const fenced = await fencedTask(engine, input.task, call);
  if ("allow" in fenced) return { verdict: fenced };
  const { task, attempt } = fenced;
  if (attempt === undefined || !["IN_PROGRESS", "REVIEW"].includes(task.state))
    return { verdict: notWorking(task) };
  const { wallMs, monoMs, boot } = engine.clock.now();
  const beaten: Attempt = {
    ...attempt,
    tokens: attempt.tokens + (input.tokens ?? 0),
    beatAt: new Date(wallMs).toISOString(),
    lease: { ...attempt.lease, boot, beatMs: monoMs },
  };
  if (input.tokens === undefined || input.tokens === 0)
    return {
      verdict: beatVerdict(engine, task, beaten),
      change: { attempts: [beaten], expect: { tasks: { [task.key]: task.version } }, durable: false },
    };
  return spend(engine, { task, attempt: beaten, added: input.tokens, call });
}

/** Tokens count for the whole task: another attempt does not buy more of them. */
async function spend(
  engine: Engine,
  { task, attempt, added, call }: { task: Task; attempt: Attempt; added: number; call: Call },
): Promise<Settled> {
  const spent = { ...task, tokens: task.tokens + added };
  const budgeted = spent.tokens - spent.tokensForgiven;
  const { warn, halt } = engine.limits.tokens;
  const draft = new Draft(engine, { by: call, cause: "heartbeat" });
  draft.putAttempt(attempt);
  draft.putTask(spent);
  if (halt !== null && budgeted >= halt && spent.state === "IN_PROGRESS") {
    const refusal = spentRefusal(spent.key, budgeted, halt);
    const moved = await draft.apply(spent, { type: "halt", refusal }, "system");
    if ("allow" in moved) return { verdict: moved };
    const details = { ...refusal.details, state: moved.state };
    return { verdict: deny("R-BG-001", refusal.reason, details), change: await draft.toChange() };
  }
  const warning = warn !== null && budgeted >= warn;
  if (warning && !attempt.warned.includes("tokens")) {
    draft.putAttempt({ ...attempt, warned: [...attempt.warned, "tokens"] });
    const data = { signal: "tokens", tokens: budgeted, warn, halt };
    draft.note({ type: "task.warned", task: task.key, from: null, to: null, data });
  }
  const verdict = beatVerdict(engine, spent, attempt);
  const details = warning
    ? { ...verdict.details, warning: `${budgeted} tokens are spent, the task is halted at ${halt}` }
    : (verdict.details ?? {});
  return { verdict: allow(details), change: await draft.toChange() };
}

function beatVerdict(engine: Engine, task: Task, attempt: Attempt) {
  const running = attempt.leaseState === "running";
  return allow({
    task_id: task.key,
    state: task.state,
    epoch: attempt.epoch,
    tokens: task.tokens,
    lease_expires_at: running ? expiresAt(attempt.lease, engine.clock.now()) : null,
  });
}

function spentRefusal(task: string, tokens: number, limit: number): Refusal {
  return {
    code: "R-BG-001",
    reason: `task \`${task}\` has spent ${tokens} tokens, its limit is ${limit}`,
    details: { halt: { signal: "tokens", tokens, limit } },
  };
}

function notWorking({ key, state }: Task): Deny {
  return deny("R-ST-001", `task \`${key}\` is ${state}: only work in progress has a heartbeat`, {
    task_id: key,
    state,
  });
}
