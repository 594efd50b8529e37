import { isHere, type Lease } from "../../core/leases/lease.ts";
import type { StoredShape } from "../../core/paths/stored-shape.ts";
import type { BreakerMode } from "../../core/rules/breaker.ts";
import type { TaskState } from "../../core/tasks/states.ts";
import type { Decision, Ledger } from "../../ledger/ledger.ts";
import { readBreaker } from "../change/breaker.ts";

/** What the guard needs from the ledger to judge a call: which task holds what. */
export interface GuardFacts {
  readonly breaker: BreakerMode;
  readonly holders: readonly Holder[];
}

/** A task with locks, and the attempt that took them. */
export interface Holder {
  readonly key: string;
  readonly id: string;
  readonly session: string | null;
  readonly state: TaskState;
  readonly epoch: number;
  readonly leaseState: "running" | "held" | "over";
  readonly lease: Lease;
  /** The client's agent that claimed the task. */
  readonly boundAgent: string | null;
  readonly locks: readonly { readonly resource: string; readonly shapes: readonly StoredShape[] }[];
  readonly forbidden: readonly string[];
  /** What a person said to this attempt's requests for more scope. */
  readonly answers: readonly ScopeAnswer[];
}

export interface ScopeAnswer {
  readonly id: string;
  readonly paths: readonly string[];
  readonly approved: boolean;
  readonly at: string;
}

/**
 * Only the tasks that run on this machine: the guard judges calls in its working trees, and a task of another machine
 * has its own.
 */
export async function readGuardFacts({
  ledger,
  machine,
}: {
  readonly ledger: Ledger;
  readonly machine?: string | undefined;
}): Promise<GuardFacts> {
  const { mode: breaker } = await readBreaker({ ledger });
  const byTask = new Map<string, Holder["locks"][number][]>();
  for (const { task, kind, resource, shapes } of await ledger.locks({ active: true })) {
    const held = byTask.get(task) ?? [];
    if (kind === "path") held.push({ resource, shapes });
    byTask.set(task, held);
  }
  const holders: Holder[] = [];
  const decisions = byTask.size === 0 ? [] : await ledger.decisions();
  for (const [key, locks] of byTask) {
    const holder = await readHolder(ledger, key, { locks, decisions, machine });
    if (holder !== undefined) holders.push(holder);
  }
  return { breaker, holders };
}

async function readHolder(
  ledger: Ledger,
  key: string,
  {
    locks,
    decisions,
    machine,
  }: {
    readonly locks: Holder["locks"];
    readonly decisions: readonly Decision[];
    readonly machine: string | undefined;
  },
): Promise<Holder | undefined> {
  const task = await ledger.task(key);
  const attempt = await ledger.attempt(key);
  if (task === undefined || attempt === undefined || !isHere(attempt, machine)) return undefined;
  return {
    key,
    id: task.id,
    session: task.session,
    state: task.state,
    epoch: attempt.epoch,
    leaseState: attempt.leaseState,
    lease: attempt.lease,
    boundAgent: attempt.boundAgent ?? null,
    locks,
    forbidden: task.assignment?.forbidden_scope ?? [],
    answers: decisions.filter((one) => one.task === key).flatMap((one) => answerIn(one, attempt.epoch)),
  };
}

function answerIn({ id, kind, data, answer, answeredAt }: Decision, epoch: number): readonly ScopeAnswer[] {
  if (kind !== "widen" || answeredAt === null || (data?.epoch ?? epoch) !== epoch) return [];
  return [{ id, paths: data?.paths ?? [], approved: answer === "approved", at: answeredAt }];
}
