import type { ProcessIdentity } from "../../core/leases/process-identity.ts";
import type { CheckRecord } from "../../core/proof/check-record.ts";
import type { Weakened } from "../../core/proof/material/weakenings.ts";
import { allow, type Deny, type Details, deny, type Verdict } from "../../core/rules/verdict.ts";
import type { Intent } from "../../ledger/ledger.ts";
import { findBreaker } from "./breaker.ts";
import type { Admitted } from "./door.ts";
import { internal } from "./door.ts";
import { Draft } from "./draft.ts";
import type { Engine } from "./engine.ts";
import type { RollbackInput } from "./plan-rollback.ts";
import { settle } from "./settle.ts";

/** The base branch is about to move: what is needed to finish that, or to know that it never happened. */
export interface BaseMove {
  readonly kind: "land" | "roll-back";
  readonly base: string;
  readonly from: string;
  readonly to: string;
  /** The integration that it belongs to; for a roll-back its own name. */
  readonly batch: string;
  readonly members: readonly MovedTask[];
  /** What is rolled back. */
  readonly rollback?: RollbackInput;
  /** Who is at it: only when that process is dead may others finish or undo it. */
  readonly runner: ProcessIdentity | null;
}

/** A task whose work comes in with the move, or goes out. */
export interface MovedTask {
  readonly task: string;
  /** What people call it in messages. */
  readonly branch: string;
  readonly title: string;
  /** The commit on the base that is its own. */
  readonly commit: string;
  readonly scope: readonly string[];
  readonly evidence: readonly CheckRecord[];
  /** What is written as a note on the commit. */
  readonly proof: Details & { readonly weakened?: readonly Weakened[] };
}

/**
 * Written before the base moves, so that a crash between the two is found. Refused where a person has ended one of
 * the tasks, or everything, since it was proven.
 */
export const prepareMove = internal("prepare-move", prepare);

async function prepare(engine: Engine, move: BaseMove, call: Admitted): Promise<Intent | Deny> {
  const verdict = await settle(engine, { operation: move.kind, input: move, call }, async () => {
    const draft = new Draft(engine, { by: call, cause: move.kind });
    const ended = move.kind === "land" ? await whyEnded(draft, move) : undefined;
    if (ended !== undefined) return { verdict: ended };
    const { members, ...rest } = move;
    const data = { ...rest, members: members.map(withoutOutput) };
    draft.note({ type: `${move.kind}.prepared`, task: null, from: null, to: null, data });
    draft.intend({ type: "move-base", task: move.batch, epoch: 0, data: move });
    return { verdict: allow(), change: await draft.toChange() };
  });
  if (!verdict.allow) return verdict;
  const intent = (await movesUnderWay(engine)).find(({ task }) => task === move.batch);
  if (intent === undefined) throw new Error(`the move ${move.batch} was settled by somebody else`);
  return intent;
}

async function whyEnded(draft: Draft, { members }: BaseMove): Promise<Deny | undefined> {
  const stopped = await findBreaker(draft.engine, "write");
  if (stopped !== undefined) return stopped;
  for (const { task: key } of members) {
    const task = await draft.task(key);
    if (task === undefined) continue; // a branch, which becomes a task when it lands
    if (task.state !== "REVIEW")
      return deny("R-ST-001", `task \`${key}\` is ${task.state} by now: it is not merged`, { task_id: key });
    // A new version with this change: whoever ends the task at the same moment decides anew.
    draft.putTask(task);
  }
  return undefined;
}

/** Why a task cannot be ended right now: its merge has begun and takes a moment. */
export async function findMerging(engine: Engine, task: string): Promise<Deny | undefined> {
  const moves = (await movesUnderWay(engine)).map(moveOf);
  const merging = moves.some(
    ({ runner, members }) =>
      runner !== null && engine.isAlive(runner) && members.some((member) => member.task === task),
  );
  return merging
    ? deny("R-ST-001", `task \`${task}\` is being merged this very moment: look again, and roll it back`, {
        task_id: task,
      })
    : undefined;
}

export async function movesUnderWay({ ledger }: Engine): Promise<readonly Intent[]> {
  return (await ledger.intents()).filter(({ type }) => type === "move-base");
}

/** False once somebody has settled it. */
export async function isUnderWay(engine: Engine, { id }: Intent): Promise<boolean> {
  return (await movesUnderWay(engine)).some((one) => one.id === id);
}

export function moveOf(intent: Intent): BaseMove {
  return intent.data as BaseMove;
}

/** The base did not move: nothing of it remains but the story. */
export const abandonMove = internal("abandon-move", abandon);

function abandon(engine: Engine, intent: Intent, call: Admitted): Promise<Verdict> {
  const { kind, batch } = moveOf(intent);
  return settle(engine, { operation: kind, input: intent.id, call }, async () => {
    if (!(await isUnderWay(engine, intent))) return { verdict: allow() };
    const draft = new Draft(engine, { by: call, cause: kind });
    draft.note({ type: `${kind}.abandoned`, task: null, from: null, to: null, data: { batch } });
    return { verdict: allow(), change: await draft.toChange({ intentsDone: [intent.id] }) };
  });
}

function withoutOutput({ task, branch, commit, evidence }: MovedTask) {
  const checks = evidence.map(({ command, outcome }) => ({ command, outcome }));
  return { task, branch, commit, checks };
}
