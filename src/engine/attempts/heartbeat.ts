import { expiresAt } from "../../core/leases/lease.ts";
import { addCost, amountOf, atLeast, type Breach, findBreaches } from "../../core/loops/budgets.ts";
import { type AllowWith, allow, type Deny, deny } from "../../core/rules/verdict.ts";
import { haltDetails } from "../../core/tasks/halt-details.ts";
import { spentOf } from "../../core/tasks/next-task.ts";
import type { TaskState } from "../../core/tasks/states.ts";
import type { Refusal, Task, TaskUsage } from "../../core/tasks/task.ts";
import type { Attempt } from "../../ledger/ledger.ts";
import type { Admitted } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import { type Engine, isOwner } from "../change/engine.ts";
import { fencedTask } from "../change/fence.ts";
import { type Settled, settle } from "../change/settle.ts";
import { askToContinue } from "../decisions/ask-continue.ts";

export interface HeartbeatInput {
  readonly task: string;
  /** Tokens spent since the last heartbeat. */
  readonly tokens?: number;
  /** The client's usage figures since then. */
  readonly usage?: {
    readonly input?: number;
    readonly cached?: number;
    readonly output?: number;
    readonly cost_usd?: number;
  };
  /** The client's conversation, so that it can be continued. */
  readonly conversation?: string;
}

/** The id becomes a command line argument of the client. */
export function isConversation(id: string): boolean {
  return /^[A-Za-z0-9][\w.:@/-]{0,199}$/.test(id);
}

interface Beaten {
  readonly task_id: string;
  readonly state: TaskState;
  readonly epoch: number;
  readonly tokens: number;
  readonly lease_expires_at: string | null;
  readonly warning?: string;
}

/** Renews the lease, using only the ledger's clock. */
export function heartbeat(
  engine: Engine,
  input: HeartbeatInput,
  call: Admitted,
): Promise<AllowWith<Beaten> | Deny> {
  return settle(engine, { operation: "heartbeat", input, call }, () => decideBeat(engine, input, call));
}

async function decideBeat(
  engine: Engine,
  input: HeartbeatInput,
  call: Admitted,
): Promise<Settled<AllowWith<Beaten>>> {
  const fenced = await fencedTask(engine, input.task, call);
  if ("allow" in fenced) return { verdict: fenced };
  const { task, attempt } = fenced;
  if (attempt === undefined || !["IN_PROGRESS", "REVIEW"].includes(task.state))
    return { verdict: notWorking(task) };
  const refused = whyNotReported(input, call);
  if (refused !== undefined) return { verdict: refused };
  const { conversation = attempt.conversation } = input;
  const { wallMs, monoMs, boot } = engine.clock.now();
  const beaten: Attempt = {
    ...attempt,
    tokens: attempt.tokens + (input.tokens ?? 0),
    beatAt: new Date(wallMs).toISOString(),
    lease: { ...attempt.lease, boot, beatMs: monoMs },
    ...(conversation === undefined ? {} : { conversation }),
  };
  if ((input.tokens ?? 0) === 0 && input.usage === undefined)
    return {
      verdict: beatVerdict(engine, task, beaten),
      change: {
        attempts: [beaten],
        expect: { tasks: { [task.key]: task.version } },
        durable: conversation !== attempt.conversation,
      },
    };
  return spend(engine, { task: withSpent(task, input), attempt: beaten, call });
}

/** Only the process that runs an agent knows its cost and its conversation; the agent itself could claim anything. */
function whyNotReported({ usage, conversation }: HeartbeatInput, call: Admitted): Deny | undefined {
  if (usage === undefined && conversation === undefined) return undefined;
  if (!isOwner(call))
    return deny(
      "R-AU-001",
      "an agent may only report tokens: usage and conversation are reported by the process that runs it",
      {
        caller: call.role,
      },
    );
  const wrong = Object.entries(usage ?? {}).find(([, amount]) => !(Number.isFinite(amount) && amount >= 0));
  if (wrong !== undefined)
    return deny("R-IN-001", `\`usage.${wrong[0]}\` is not an amount`, { field: wrong[0] });
  return conversation === undefined || isConversation(conversation)
    ? undefined
    : deny("R-IN-001", "`conversation` is not the id of a conversation", { field: "conversation" });
}

export function withSpent(task: Task, { tokens = 0, usage }: HeartbeatInput): Task {
  const spent = { ...task, tokens: task.tokens + tokens };
  if (usage === undefined) return spent;
  const { input = 0, cached = 0, output = 0, cost_usd: cost } = usage;
  const before: TaskUsage = task.usage ?? { input: 0, cached: 0, output: 0, costUsd: null };
  return {
    ...spent,
    usage: {
      input: before.input + input,
      cached: before.cached + cached,
      output: before.output + output,
      costUsd: addCost(before.costUsd, cost),
    },
  };
}

/** Spending counts for the whole task: another attempt does not get a new budget. */
async function spend(
  engine: Engine,
  { task, attempt, call }: { task: Task; attempt: Attempt; call: Admitted },
): Promise<Settled<AllowWith<Beaten>>> {
  const { tokens, costUsd } = engine.limits;
  const { halted, warned } = findBreaches(spentOf(task), {
    tokens: atLeast(tokens, task.allowed?.tokens),
    cost_usd: atLeast(costUsd, task.allowed?.cost_usd),
  });
  const draft = new Draft(engine, { by: call, cause: "heartbeat" }).seen({ task, attempt });
  draft.putAttempt(attempt);
  draft.putTask(task);
  if (halted !== undefined && task.state === "IN_PROGRESS") {
    const refusal = spentRefusal(task, halted);
    const moved = await draft.apply(task, { type: "halt", refusal }, "system");
    if ("allow" in moved) return { verdict: moved };
    const details = { ...refusal.details, state: moved.state };
    const decisions = await askToContinue(draft, moved);
    return {
      verdict: deny("R-BG-001", refusal.reason, details),
      change: await draft.toChange({ decisions }),
    };
  }
  warn(draft, attempt, warned);
  const { details } = beatVerdict(engine, task, attempt);
  const warning = warned.map((breach) => `${amountOf(breach)} spent, ${endOf(breach)}`).join("; ");
  return {
    verdict: allow(warning === "" ? details : { ...details, warning }),
    change: await draft.toChange(),
  };
}

/** Warns once per attempt for each budget. */
function warn(draft: Draft, attempt: Attempt, breaches: readonly Breach[]): void {
  const first = breaches.filter(({ signal }) => !attempt.warned.includes(signal));
  if (first.length === 0) return;
  draft.putAttempt({ ...attempt, warned: [...attempt.warned, ...first.map(({ signal }) => signal)] });
  for (const { signal, amount, warn: at, halt } of first) {
    const data = { signal, [signal]: amount, warn: at, halt };
    draft.note({ type: "task.warned", task: attempt.task, from: null, to: null, data });
  }
}

function endOf({ signal, halt }: Breach): string {
  return halt === null
    ? "the task has no limit"
    : `the task is halted at ${signal === "tokens" ? halt : `$${halt}`}`;
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

function spentRefusal(task: Task, { signal, amount, halt: limit }: Breach): Refusal {
  const shown = signal === "tokens" ? limit : `$${limit}`;
  return {
    code: "R-BG-001",
    reason: `task \`${task.key}\` has spent ${amountOf({ signal, amount })}; its limit is ${shown}`,
    details: haltDetails(task, { signal, [signal]: amount, limit }),
  };
}

function notWorking({ key, state }: Task): Deny {
  return deny("R-ST-001", `task \`${key}\` is ${state}: heartbeats are accepted only for work in progress`, {
    task_id: key,
    state,
  });
}
