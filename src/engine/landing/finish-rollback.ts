import { allow, type Deny, deny, type Verdict } from "../../core/rules/verdict.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Intent } from "../../ledger/ledger.ts";
import { isTaken } from "../attempts/take-task.ts";
import { isUnderWay, moveOf } from "../change/base-moves.ts";
import type { Admitted } from "../change/door.ts";
import { internal } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { expectRole, type HeldRole, whyNotHolder } from "../change/hold-role.ts";
import {
  isLandedBranch,
  planRollback,
  type RollbackInput,
  type RollbackPlan,
} from "../change/plan-rollback.ts";
import { settle } from "../change/settle.ts";
import { redoTask } from "../tasks/redo-task.ts";

/** The tasks that a roll-back would affect. It takes no other task out of a person's hands. */
export const readRollback = internal("roll-back", read);

async function read(engine: Engine, input: RollbackInput, call: Admitted): Promise<RollbackPlan | Deny> {
  const draft = new Draft(engine, { by: call, cause: "roll-back" });
  const plan = await planRollback(draft, input);
  return "allow" in plan ? plan : ((await findTaken(draft, input, plan)) ?? plan);
}

async function findTaken(draft: Draft, input: RollbackInput, { ended, blocked }: RollbackPlan) {
  const taken: string[] = [];
  for (const task of [...ended, ...blocked])
    if (task.key !== input.name && isTaken(task, await draft.attempt(task.key))) taken.push(task.key);
  if (taken.length === 0) return undefined;
  const ways = taken.map((key) => `\`lockstep submit ${key}\` or \`lockstep release ${key}\``);
  const reason = `a person has taken over \`${taken.join("`, `")}\`, and the rollback would end that: hand it in or give it up first (${ways.join("; ")}), then roll back again`;
  return deny("R-ST-001", reason, { tasks: taken });
}

/** The base has moved back: records that in the tasks, and blocks the tasks that depend on them. */
export const finishRollback = internal("roll-back", finish);

function finish(
  engine: Engine,
  { held, ...intent }: Intent & { readonly held?: HeldRole },
  call: Admitted,
): Promise<Verdict> {
  const { rollback, members } = moveOf(intent);
  if (rollback === undefined) throw new Error(`intent ${intent.id} is not a roll-back`);
  const reverts = new Map(members.map(({ task, commit }) => [task, commit]));
  return settle(engine, { operation: "roll-back", input: intent.id, call }, async () => {
    if (!(await isUnderWay(engine, intent))) return { verdict: allow() };
    const replaced = await whyNotHolder(engine, held);
    if (replaced !== undefined) return { verdict: replaced };
    return applyRollback(engine, { input: rollback, reverts, intentsDone: [intent.id], held }, call);
  });
}

/** For work that was not merged: only the ledger changes. */
export const rollBackUnmerged = internal("roll-back", rollBack);

function rollBack(engine: Engine, input: RollbackInput, call: Admitted): Promise<Verdict> {
  return settle(engine, { operation: "roll-back", input, call }, () =>
    applyRollback(engine, { input, reverts: new Map(), intentsDone: [] }, call),
  );
}

interface Applied {
  readonly input: RollbackInput;
  /** For each task, the commit that reverted its merge. */
  readonly reverts: ReadonlyMap<string, string>;
  readonly intentsDone: readonly number[];
  readonly held?: HeldRole | undefined;
}

async function applyRollback(engine: Engine, { input, reverts, intentsDone, held }: Applied, call: Admitted) {
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
  return { verdict: allow({ again }), change: await draft.toChange({ intentsDone, ...expectRole(held) }) };
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
    const recommendation = `check the remaining work of \`${key}\`, then run \`lockstep task resolve\` or \`cancel\``;
    const moved = await draft.apply(
      task,
      level === "session" ? { type: "escalate", reason, recommendation } : { type: "cancel", reason },
      "person",
    );
    if ("allow" in moved) return moved;
  }
  return undefined;
}

/** S1-098. A BLOCKED or REJECTED task already waits, and finds its dependency missing when it wants to continue. */
async function blockDependents(draft: Draft, { blocked, reverted }: RollbackPlan): Promise<Deny | undefined> {
  const out = new Set(reverted.map(({ key }) => key));
  for (const { key } of blocked) {
    const task = await draft.task(key);
    if (task === undefined || !["PENDING", "IN_PROGRESS", "REVIEW"].includes(task.state)) continue;
    const by = task.dependsOn.find((one) => out.has(one)) ?? "";
    const reason = `task \`${by}\`, which \`${key}\` depends on, was rolled back: redo it with \`lockstep task retry ${by}\``;
    const refusal = { code: "R-DP-001", reason, details: { dependency: by } } as const;
    const moved = await draft.apply(task, { type: "orphan", refusal, by }, "system");
    if ("allow" in moved) return moved;
  }
  return undefined;
}

/** S1-102: tasks that were merged together are redone one after the other, in their original order. */
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
