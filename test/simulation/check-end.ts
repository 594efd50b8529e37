import { isDeepStrictEqual } from "node:util";
import { isDown } from "../../src/core/tasks/states.ts";
import type { Task } from "../../src/core/tasks/task.ts";
import { reconcile } from "../../src/engine/views/reconcile.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { locksAreMissing, locksOverlap, resourcesAreCrowded } from "./check-locks.ts";
import { allKeys } from "./scopes.ts";
import { ranOut, type Stored } from "./shadow.ts";
import type { World } from "./world.ts";

/** Checks everything that is stored, from the beginning. */
export async function problemsOf(world: World): Promise<string[]> {
  const { ledger, shadow, limits } = world;
  const { stored } = shadow;
  return [
    ...locksOverlap(stored),
    ...resourcesAreCrowded(stored, limits.resources),
    ...locksAreMissing(stored),
    ...(await differsFrom(ledger, stored)),
    ...(await lostSince(world)),
    ...(await inconsistencies(world)),
    ...goesInCircles(stored),
    ...(await secretsStored(world)),
  ];
}

/** INV-7: a task without a running attempt is over, or it can be dispatched again. */
export function* stuckIn({ shadow, machine, limits }: World): Iterable<string> {
  const { tasks, locks, attempts } = shadow.stored;
  const holders = new Set(locks.map(({ task }) => task));
  for (const attempt of attempts.values())
    if (ranOut(attempt, machine.now()))
      yield `INV-7: the lease of \`${attempt.task}\` ran out and was not ended`;
  for (const task of tasks.values()) {
    // A task that a person has taken over stays theirs without a limit.
    const isTheirs = attempts.get(task.key)?.leaseState === "held";
    if (task.state === "IN_PROGRESS" && !isTheirs) yield `INV-7: task \`${task.key}\` is still IN_PROGRESS`;
    const spent = task.counters.review_retries >= limits.reviewRetries;
    if (task.state === "REJECTED" && (task.fixDelta === null || spent))
      yield `INV-7: task \`${task.key}\` is REJECTED and cannot be reworked`;
    if (task.state === "BLOCKED") yield* whyStuck(task, tasks, holders);
  }
}

/** A hold must name what frees the task, and that must not have happened already. */
function* whyStuck(task: Task, tasks: Stored["tasks"], holders: ReadonlySet<string>): Iterable<string> {
  const { hold, key, counters } = task;
  if (hold === null) return yield `INV-7: \`${key}\` is BLOCKED without a reason`;
  if (hold.kind === "deny" && counters.block_retries > 0)
    yield `INV-7: \`${key}\` waits for a retry that it has had`;
  if (hold.kind === "lost") yield `INV-7: \`${key}\` was lost and was not restarted`;
  const { by } = hold;
  if (by === null || !allKeys.includes(by)) return; // a lock of an unknown task, which no ledger contains
  if (hold.kind === "lock" && !holders.has(by))
    yield `INV-7: \`${key}\` waits for the locks of \`${by}\`, which holds none`;
  if (hold.kind !== "dependency") return;
  const state = tasks.get(by)?.state;
  if (state === "MERGED") yield `INV-7: \`${key}\` waits for \`${by}\`, which is MERGED`;
  if (task.refusal?.code === "R-DP-001" && state !== undefined && !isDown(state))
    yield `INV-7: \`${key}\` waits for the failed \`${by}\`, which is ${state}`;
}

/** INV-3: only commits change the ledger. */
async function differsFrom(ledger: Ledger, stored: Stored): Promise<string[]> {
  const problems: string[] = [];
  const tasks = await ledger.tasks();
  if (tasks.length !== stored.tasks.size)
    problems.push(`INV-3: ${tasks.length} tasks are stored, not ${stored.tasks.size}`);
  for (const task of tasks) {
    if (!isDeepStrictEqual(task, stored.tasks.get(task.key)))
      problems.push(`INV-3: task \`${task.key}\` is another`);
    if (!isDeepStrictEqual(await ledger.attempt(task.key), stored.attempts.get(task.key)))
      problems.push(`INV-3: the attempt of \`${task.key}\` is another`);
  }
  if (!isDeepStrictEqual(await ledger.locks({ active: true }), stored.locks))
    problems.push("INV-3: the locks are others");
  return problems;
}

/** INV-3: every acknowledged change is still stored. */
export async function lostSince({ ledger, invariants }: World): Promise<string[]> {
  const { acknowledged, keys } = invariants;
  const hashes = new Map((await ledger.events()).map(({ seq, hash }) => [seq, hash]));
  const versions = new Map((await ledger.tasks()).map(({ key, version }) => [key, version]));
  const problems: string[] = [];
  for (const { what, seq, hash, versions: seen } of acknowledged) {
    if (seq > 0 && hashes.get(seq) !== hash) problems.push(`INV-3: event ${seq} of ${what} is gone`);
    for (const [task, version] of seen)
      if ((versions.get(task) ?? 0) < version)
        problems.push(`INV-3: version ${version} of \`${task}\` (${what}) is gone`);
  }
  for (const key of keys)
    if ((await ledger.answered(key)) === undefined) problems.push(`INV-3: the answer to ${key} is gone`);
  return problems;
}

/** INV-5. A dependency that was never added is the caller's fault. */
async function inconsistencies(world: World): Promise<string[]> {
  const { problems } = await reconcile({ ledger: world.ledger } as Parameters<typeof reconcile>[0]);
  return problems
    .filter(({ problem }) => !problem.endsWith("which does not exist"))
    .map(({ check, task, problem }) => `INV-5: reconcile, ${check} of \`${task}\`: ${problem}`);
}

function* goesInCircles({ tasks }: Stored): Iterable<string> {
  for (const start of tasks.keys()) {
    const seen = new Set<string>();
    const open = [...(tasks.get(start)?.dependsOn ?? [])];
    for (let key = open.pop(); key !== undefined; key = open.pop()) {
      if (key === start)
        return yield `INV-7: task \`${start}\` waits for itself, through \`${[...seen].join("`, `")}\``;
      if (!seen.has(key)) open.push(...(tasks.get(key)?.dependsOn ?? []));
      seen.add(key);
    }
  }
}

async function secretsStored({ ledger, invariants, shadow }: World): Promise<string[]> {
  const answers = await Promise.all(invariants.keys.map((key) => ledger.answered(key)));
  const parts = {
    tasks: await ledger.tasks(),
    events: await ledger.events(),
    decisions: await ledger.decisions(),
    intents: await ledger.intents(),
    locks: await ledger.locks(),
    settings: await ledger.setting("breaker"),
    attempts: [...shadow.stored.attempts.values()],
    answers,
  };
  return Object.entries(parts).flatMap(([name, part]) => [
    ...invariants.secretsIn(part, `the stored ${name}`),
  ]);
}
