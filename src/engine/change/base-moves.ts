import { randomBytes } from "node:crypto";
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
import { expectRole, type HeldRole, whyNotHolder } from "./hold-role.ts";
import type { RollbackInput } from "./plan-rollback.ts";
import { settle } from "./settle.ts";

/**
 * A planned move of the base branch: all data needed to finish it after a crash, or to know that it never
 * happened.
 */
export interface BaseMove {
  readonly kind: "land" | "roll-back";
  readonly base: string;
  readonly from: string;
  readonly to: string;
  /** The name of the integration; a roll-back has a name of its own. */
  readonly batch: string;
  readonly members: readonly MovedTask[];
  /** The input of a roll-back. */
  readonly rollback?: RollbackInput;
  /** The repository whose base moves, if several share the ledger; only its own machine finishes or undoes the move. */
  readonly place?: string;
  /** The base moves at a remote, where every machine can see it. */
  readonly remote?: RemoteMove;
  /** The process that makes the move: other processes may finish or undo it only when this one is dead. */
  readonly runner: ProcessIdentity | null;
}

/** Base and notes of a remote are set together, so that a push that expects older notes changes nothing. */
export interface RemoteMove {
  readonly name: string;
  /** The ref of the notes there. */
  readonly notes: string;
  readonly notesFrom: string | null;
  readonly notesTo: string;
}

/**
 * `BATCH-20260131T101500123Z-5fc1a0`. Machines that share a ledger can start a move in the same millisecond, so the time
 * alone would not be unique.
 */
export function moveName(prefix: "BATCH" | "ROLLBACK", wallMs: number): string {
  const time = new Date(wallMs).toISOString().replace(/[-:.]/g, "");
  return `${prefix}-${time}-${randomBytes(3).toString("hex")}`;
}

/** A task whose work is merged or reverted by the move. */
export interface MovedTask {
  readonly task: string;
  /** The name of the work in messages. */
  readonly branch: string;
  readonly title: string;
  /** The task's own commit on the base. */
  readonly commit: string;
  readonly scope: readonly string[];
  readonly evidence: readonly CheckRecord[];
  /** Written as a git note on the commit. */
  readonly proof: Details & { readonly weakened?: readonly Weakened[] };
}

/**
 * Recorded before the base moves, so that a crash in between is detected. Refused if a person has ended one of
 * the tasks, or stopped everything, since the work was proven.
 */
export const prepareMove = internal("prepare-move", prepare);

async function prepare(
  engine: Engine,
  { held, ...move }: BaseMove & { readonly held?: HeldRole },
  call: Admitted,
): Promise<Intent | Deny> {
  const verdict = await settle(engine, { operation: move.kind, input: move, call }, async () => {
    const replaced = await whyNotHolder(engine, held);
    if (replaced !== undefined) return { verdict: replaced };
    const draft = new Draft(engine, { by: call, cause: move.kind });
    const ended = move.kind === "land" ? await whyEnded(draft, move) : undefined;
    if (ended !== undefined) return { verdict: ended };
    const { members, ...rest } = move;
    const data = { ...rest, members: members.map(withoutOutput) };
    draft.note({ type: `${move.kind}.prepared`, task: null, from: null, to: null, data });
    draft.intend({ type: "move-base", task: move.batch, epoch: 0, data: move });
    return { verdict: allow(), change: await draft.toChange(expectRole(held)) };
  });
  if (!verdict.allow) return verdict;
  const intent = (await movesUnderWay(engine)).find(({ task }) => task === move.batch);
  if (intent === undefined) throw new Error(`another process finished or undid the move ${move.batch}`);
  return intent;
}

async function whyEnded(draft: Draft, { members }: BaseMove): Promise<Deny | undefined> {
  const stopped = await findBreaker(draft.engine, "write");
  if (stopped !== undefined) return stopped;
  for (const { task: key } of members) {
    const task = await draft.task(key);
    if (task === undefined) continue; // a branch becomes a task when it is merged
    if (task.state !== "REVIEW")
      return deny("R-ST-001", `task \`${key}\` is now ${task.state}, so it is not merged`, { task_id: key });
    // Gives the task a new version, so that a concurrent change that ends the task is decided again.
    draft.putTask(task);
  }
  return undefined;
}

/** Denies ending a task while its merge is in progress. */
export async function findMerging(engine: Engine, task: string): Promise<Deny | undefined> {
  const moves = (await movesUnderWay(engine)).map(moveOf);
  const merging = moves.some(
    ({ runner, members }) =>
      runner !== null && engine.isAlive(runner) !== "no" && members.some((member) => member.task === task),
  );
  return merging
    ? deny(
        "R-ST-001",
        `task \`${task}\` is being merged right now: try again in a moment, and roll it back if it is merged`,
        {
          task_id: task,
        },
      )
    : undefined;
}

export async function movesUnderWay({ ledger }: Engine): Promise<readonly Intent[]> {
  return (await ledger.intents()).filter(({ type }) => type === "move-base");
}

/** False once any process has finished or undone it. */
export async function isUnderWay(engine: Engine, { id }: Intent): Promise<boolean> {
  return (await movesUnderWay(engine)).some((one) => one.id === id);
}

export function moveOf(intent: Intent): BaseMove {
  return intent.data as BaseMove;
}

/** The base did not move: closes the intent and records that. */
export const abandonMove = internal("abandon-move", abandon);

function abandon(
  engine: Engine,
  { held, ...intent }: Intent & { readonly held?: HeldRole },
  call: Admitted,
): Promise<Verdict> {
  const { kind, batch } = moveOf(intent);
  return settle(engine, { operation: kind, input: intent.id, call }, async () => {
    if (!(await isUnderWay(engine, intent))) return { verdict: allow() };
    const replaced = await whyNotHolder(engine, held);
    if (replaced !== undefined) return { verdict: replaced };
    const draft = new Draft(engine, { by: call, cause: kind });
    draft.note({ type: `${kind}.abandoned`, task: null, from: null, to: null, data: { batch } });
    return {
      verdict: allow(),
      change: await draft.toChange({ intentsDone: [intent.id], ...expectRole(held) }),
    };
  });
}

function withoutOutput({ task, branch, commit, evidence }: MovedTask) {
  const checks = evidence.map(({ command, outcome }) => ({ command, outcome }));
  return { task, branch, commit, checks };
}
