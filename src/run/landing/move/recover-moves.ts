import { lstatSync } from "node:fs";
import { join, resolve } from "node:path";
import { putBackRef } from "../../../core/names/ref-names.ts";
import type { Deny } from "../../../core/rules/verdict.ts";
import {
  abandonMove,
  type BaseMove,
  isUnderWay,
  moveOf,
  movesUnderWay,
  type RemoteMove,
} from "../../../engine/change/base-moves.ts";
import type { HeldRole } from "../../../engine/change/hold-role.ts";
import { finishLanding } from "../../../engine/landing/finish-landing.ts";
import { finishRollback } from "../../../engine/landing/finish-rollback.ts";
import type { Intent } from "../../../ledger/ledger.ts";
import { checkoutOf, isAncestor, readRef } from "../../../workspace/git/refs.ts";
import { RemoteFault } from "../../../workspace/git/remote.ts";
import { git } from "../../../workspace/git/run-git.ts";
import { locksIn, removeStaleLocks } from "../../../workspace/git/stale-locks.ts";
import { undoHalfMove } from "../../../workspace/git/undo-half-move.ts";
import { keepProofs } from "../evidence/keep-proofs.ts";
import { fetchBase } from "../fresh-base.ts";
import type { IntegrationContext } from "../integration.ts";
import { asIntegrator, atRemote, ownPlace } from "./as-integrator.ts";
import { followBase } from "./follow-base.ts";
import { claimNotes, dropNext } from "./push-move.ts";

type RecoveryContext = Pick<IntegrationContext, "engine" | "call" | "reached"> & {
  readonly repository: { readonly root: string };
  onProgress?(line: string): void;
};

/** Recovers moves that a crash interrupted: finishes a move if the base has reached its commit, and undoes it if not. */
export async function recoverMoves(context: RecoveryContext): Promise<readonly string[]> {
  const left = (await movesUnderWay(context.engine)).filter((intent) => isLeft(context, moveOf(intent)));
  if (left.length === 0) return [];
  const lines: string[] = [];
  const places = Map.groupBy(left, (intent) => `${moveOf(intent).place ?? ""} ${moveOf(intent).base}`);
  for (const intents of places.values()) {
    const { place, base } = moveOf(intents[0] as Intent);
    const { engine, call } = context;
    const recovered = asIntegrator({ engine, call, place, base }, (held) => recover(context, intents, held));
    lines.push(...(await recovered));
  }
  return lines;
}

/**
 * Only the machine whose base it is can see whether it moved. A base at a remote can be seen by all, and its role decides
 * which of them recovers it.
 */
function isLeft({ engine, repository }: RecoveryContext, { runner, place }: BaseMove): boolean {
  if (place === atRemote) return true;
  if (place !== ownPlace({ engine, repository })) return false;
  return runner === null || engine.isAlive(runner) !== "yes";
}

async function recover(
  context: RecoveryContext,
  intents: readonly Intent[],
  held: HeldRole,
): Promise<readonly string[]> {
  const { engine, repository } = context;
  const lines: string[] = [];
  for (const intent of intents) {
    if (!(await isUnderWay(engine, intent))) continue;
    const move = moveOf(intent);
    const what = `${move.kind === "land" ? "landing" : "roll-back"} ${nameOf(move)}`;
    lines.push(...(await freeLocks(await lockPlaces(repository.root, move.base))));
    const tell = (line: string) => lines.push(line);
    if ((await recoverMove({ ...context, onProgress: tell }, intent, held)) === "finished")
      lines.push(`finished the ${what} that was interrupted`);
    else lines.push(`dropped the ${what} that was interrupted: the base had not moved`);
  }
  return lines;
}

/** Finishes a move if the base has reached its commit, and undoes it if not. */
export async function recoverMove(
  context: RecoveryContext,
  intent: Intent,
  held: HeldRole,
): Promise<"finished" | "dropped"> {
  const { engine, call, repository, onProgress } = context;
  const { root } = repository;
  const move = moveOf(intent);
  const { remote } = move;
  const hasMoved =
    remote === undefined
      ? await hasMovedHere(root, move)
      : await hasMovedThere(context, { ...move, remote }, held);
  // On another machine no git of this move has written files.
  const isOwn = move.runner === null || engine.isAlive(move.runner) !== "elsewhere";
  for (const line of isOwn ? await undo(root, move) : []) onProgress?.(line);
  if (hasMoved) {
    await finishMove(context, { ...intent, held });
    return "finished";
  }
  await abandonMove(engine, { ...intent, held }, call);
  if (remote !== undefined) await dropNext(root, remote.name, move.batch);
  return "dropped";
}

async function hasMovedHere(root: string, { base, to }: BaseMove): Promise<boolean> {
  const now = await readRef(root, `refs/heads/${base}`);
  return now !== undefined && (await isAncestor(root, to, now));
}

const roundsMax = 20;

/** After this, the answer stays true: if the base has not moved, no late push of this move can succeed any more. */
async function hasMovedThere(
  { repository: { root }, reached }: RecoveryContext,
  move: BaseMove & { readonly remote: RemoteMove },
  { epoch }: HeldRole,
): Promise<boolean> {
  const { base, to, remote } = move;
  for (let round = 0; round < roundsMax; round += 1) {
    const { commit, notes } = await fetchBase(root, { ...remote, base });
    if (await isAncestor(root, to, commit)) return true;
    if (notes !== remote.notesFrom) return false; // a push that expects the old notes is refused
    if (await claimNotes(root, move, { from: notes, epoch })) {
      reached?.("claimed");
      return false;
    }
  }
  throw new RemoteFault(remote.name, `its notes were changed ${roundsMax} times in the meantime`);
}

/**
 * After the base has moved: writes the proofs as notes, then records the move in the ledger. Both are idempotent. Returns
 * the refusal if another process has taken over the role.
 */
export async function finishMove(
  { engine, call, repository, reached, onProgress }: RecoveryContext,
  intent: Intent & { readonly held: HeldRole },
): Promise<Deny | undefined> {
  const move = moveOf(intent);
  const { members, kind, base, remote } = move;
  if (remote === undefined) await keepProofs(repository.root, members);
  else {
    const behind = await followBase(repository.root, { ...move, remote });
    if (behind !== undefined) onProgress?.(behind);
  }
  reached?.("noted");
  const finish = kind === "land" ? finishLanding : finishRollback;
  const verdict = await finish(engine, intent, call);
  if (verdict.allow) return undefined;
  if (verdict.code === "R-LS-001") return verdict;
  throw new Error(`\`${base}\` has moved, but the ledger refused to record it: ${verdict.reason}`);
}

/**
 * Removes git lock files that a killed command has left on any ref. If another git process is running, reports that and
 * continues.
 */
export async function freeLeftLocks(
  { repository: { root, base }, onProgress }: Pick<IntegrationContext, "repository" | "onProgress">,
  places = lockPlaces(root, base),
): Promise<void> {
  try {
    for (const line of await freeLocks(await places)) onProgress(line);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "E-GIT")) throw error;
    onProgress(error.message);
  }
}

/** Removes the lock files of killed git processes, which would stop every other git command. */
async function freeLocks({ checkout, folders }: LockPlaces): Promise<readonly string[]> {
  const locks = [...new Set(folders)].flatMap(locksIn);
  const removed = await removeStaleLocks({ folders: [checkout, ...folders], locks });
  return removed.map((lock) => `removed ${lock}, left by a git process that has ended`);
}

interface LockPlaces {
  readonly checkout: string;
  /** The git folder of the checkout, and the one that all checkouts of the repository share. */
  readonly folders: readonly string[];
}

/** Where git has locks while it works on a base. Only reads, so a caller can ask early. */
export async function lockPlaces(root: string, base: string): Promise<LockPlaces> {
  const checkout = (await checkoutOf(root, base)) ?? root;
  const own = join(checkout, ".git");
  // In a linked worktree it is a file that names another folder.
  if (lstatSync(own, { throwIfNoEntry: false })?.isDirectory()) return { checkout, folders: [own] };
  const which = ["--absolute-git-dir", "--git-common-dir"];
  const lines = (await git(checkout, ["rev-parse", ...which])).split("\n");
  // A path can contain a line break.
  const apart = () => Promise.all(which.map((one) => git(checkout, ["rev-parse", one])));
  const folders = lines.length === which.length ? lines : await apart();
  return { checkout, folders: folders.map((folder) => resolve(checkout, folder)) };
}

/** Restores files that an interrupted git has written; a person's own changes are not touched. */
async function undo(root: string, { base, from, to, batch, remote }: BaseMove): Promise<readonly string[]> {
  const checkout = await checkoutOf(root, base);
  const now = checkout === undefined ? undefined : await readRef(checkout, "HEAD");
  // After a move at a remote, the branch here follows from where it was.
  const isBefore =
    now === from || (remote !== undefined && now !== undefined && (await isAncestor(root, now, to)));
  if (checkout === undefined || now === undefined || now === to || !isBefore) return [];
  return undoHalfMove(checkout, { from: now, to, keepAs: putBackRef(batch) });
}

function nameOf({ members, batch }: BaseMove): string {
  const [first, ...more] = members;
  if (first === undefined) return batch;
  return more.length === 0 ? `of \`${first.branch}\`` : `of \`${first.branch}\` and ${more.length} more`;
}
