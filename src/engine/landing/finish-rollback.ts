import { allow, type Deny, type Verdict } from "../../core/rules/verdict.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Intent } from "../../ledger/ledger.ts";
import { isUnderWay, moveOf } from "../change/base-moves.ts";
import type { Admitted } from "../change/door.ts";
import { internal } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import {
  isLandedBranch,
  planRollback,
  type RollbackInput,
  type RollbackPlan,
} from "../change/plan-rollback.ts";
import { settle } from "../change/settle.ts";
import { redoTask } from "../tasks/redo-task.ts";

/** What a roll-back would concern. */
export const readRollback = internal("roll-back", read);

function read(engine: Engine, input: RollbackInput, call: Admitted) {
  return planRollback(new Draft(engine, { by: call, cause: "roll-back" }), input);
}

/** The base has moved back: the tasks say so, and what depended on them waits. */
export const finishRollback = internal("roll-back", finish);

function finish(engine: Engine, intent: Intent, call: Admitted): Promise<Verdict> {
  const { rollback, members } = moveOf(intent);
  if (rollback === undefined) throw new Error(`intent ${intent.id} is no roll-back`);
  const reverts = new Map(members.map(({ task, commit }) => [task, commit]));
  return settle(engine, { operation: "roll-back", input: intent.id, call }, async () => {
    if (!(await isUnderWay(engine, intent))) return { verdict: allow() };
    return applyRollback(engine, { input: rollback, reverts, intentsDone: [intent.id] }, call);
  });
}

/** Nothing of it had reached the base: only the ledger changes. */
export const rollBackUnmerged = internal("roll-back", rollBack);

function rollBack(engine: Engine, input: RollbackInput, call: Admitted): Promise<Verdict> {
  return settle(engine, { operation: "roll-back", input, call }, () =>
    applyRollback(engine, { input, reverts: new Map(), intentsDone: [] }, call),
  );
}

interface Applied {
  readonly input: RollbackInput;
  /** By task, the commit that took its merge back. */
  readonly reverts: ReadonlyMap<string, string>;
  readonly intentsDone: readonly number[];
}

async function applyRollback(engine: Engine, { input, reverts, intentsDone }: Applied, call: Admitted) {
  const draft = new Draft(engine, { by: call, cause: "roll-back" });
  const plan = await planRollback(draft, input);
  if ("allow" in plan) return { verdict: plan };
  for (const task of plan.reverted) {
    const revertedBy = reverts.get(task.key);
    if (revertedBy === undefined) continue;
    draft.putTask({ ...task, revertedBy });
    const data = { commit: task.commit, reverted_by: revertedBy, ...input };
    draft.note({ type: "task.rolled-back", task: task.key, from: null, to: null, data });
  }
  const refused = (await endUnmerged(draft, input, plan)) ?? (await blockDependents(draft, plan));
  if (refused !== undefined) return { verdict: refused };
  const again = input.level === "batch" ? await redoOneByOne(draft, plan.reverted, [...reverts.keys()]) : [];
  return { verdict: allow({ again }), change: await draft.toChange({ intentsDone }) };
}

async function endUnmerged(
  draft: Draft,
  { level, name }: RollbackInput,
  { ended }: RollbackPlan,
): Promise<Deny | undefined> {
  for (const { key } of ended) {
    const task = await draft.task(key);
    if (task === undefined || (level === "session" && task.state === "ESCALATED")) continue;
    const reason = `rolled back with ${level} \`${name}\``;
    const recommendation = `look at what is left of \`${key}\`, then \`lockstep task resolve\` or \`cancel\``;
    const moved = await draft.apply(
      task,
      level === "session" ? { type: "escalate", reason, recommendation } : { type: "cancel", reason },
      "person",
    );
    if ("allow" in moved) return moved;
  }
  return undefined;
}

/** S1-098. What is BLOCKED or REJECTED already waits, and finds the dependency missing when it wants to go on. */
async function blockDependents(draft: Draft, { blocked, reverted }: RollbackPlan): Promise<Deny | undefined> {
  const out = new Set(reverted.map(({ key }) => key));
  for (const { key } of blocked) {
    const task = await draft.task(key);
    if (task === undefined || !["PENDING", "IN_PROGRESS", "REVIEW"].includes(task.state)) continue;
    const by = task.dependsOn.find((one) => out.has(one)) ?? "";
    const reason = `task \`${by}\`, which \`${key}\` depends on, was rolled back: \`lockstep task retry ${by}\` does it again`;
    const refusal = { code: "R-DP-001", reason, details: { dependency: by } } as const;
    const moved = await draft.apply(task, { type: "orphan", refusal, by }, "system");
    if ("allow" in moved) return moved;
  }
  return undefined;
}

/** S1-102: what failed together is done again one after the other, in the order in which it had come in. */
async function redoOneByOne(
  draft: Draft,
  reverted: readonly Task[],
  newestFirst: readonly string[],
): Promise<readonly string[]> {
  const keys: string[] = [];
  const merged = reverted.filter((task) => !isLandedBranch(task) && newestFirst.includes(task.key));
  const oldestFirst = merged.sort(
    (one, other) => newestFirst.indexOf(other.key) - newestFirst.indexOf(one.key),
  );
  for (const task of oldestFirst) keys.push((await redoTask(draft, task, keys.slice(-1))).key);
  return keys;
}
