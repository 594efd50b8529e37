import { resolve } from "node:path";
import { putBackRef } from "../../core/names/ref-names.ts";
import {
  abandonMove,
  type BaseMove,
  isUnderWay,
  moveOf,
  movesUnderWay,
} from "../../engine/change/base-moves.ts";
import type { HeldRole } from "../../engine/change/hold-role.ts";
import { finishLanding } from "../../engine/landing/finish-landing.ts";
import { finishRollback } from "../../engine/landing/finish-rollback.ts";
import type { Intent } from "../../ledger/ledger.ts";
import { checkoutOf, isAncestor, readRef } from "../../workspace/git/refs.ts";
import { git } from "../../workspace/git/run-git.ts";
import { locksIn, removeStaleLocks } from "../../workspace/git/stale-locks.ts";
import { undoHalfMove } from "../../workspace/git/undo-half-move.ts";
import { asIntegrator, placeOf } from "./as-integrator.ts";
import type { IntegrationContext } from "./integration.ts";
import { keepProofs } from "./keep-proofs.ts";

type RecoveryContext = Pick<IntegrationContext, "engine" | "call" | "reached"> & {
  readonly repository: { readonly root: string };
};

/** Recovers moves that a crash interrupted: finishes a move if the base has reached its commit, and undoes it if not. */
export async function recoverMoves(context: RecoveryContext): Promise<readonly string[]> {
  const left = (await movesUnderWay(context.engine)).filter((intent) => isLeft(context, moveOf(intent)));
  if (left.length === 0) return [];
  const lines: string[] = [];
  const bases = Map.groupBy(left, (intent) => moveOf(intent).base);
  for (const [base, intents] of bases)
    lines.push(
      ...(await asIntegrator({ ...context, repository: { ...context.repository, base } }, (held) =>
        recover(context, intents, held),
      )),
    );
  return lines;
}

/** Only the machine whose base it is can see whether it moved. */
function isLeft({ engine, repository }: RecoveryContext, { runner, place }: BaseMove): boolean {
  if (place !== placeOf({ engine, repository })) return false;
  return runner === null || engine.isAlive(runner) !== "yes";
}

async function recover(
  context: RecoveryContext,
  intents: readonly Intent[],
  held: HeldRole,
): Promise<readonly string[]> {
  const { engine, call, repository } = context;
  const lines: string[] = [];
  for (const intent of intents) {
    if (!(await isUnderWay(engine, intent))) continue;
    const move = moveOf(intent);
    const what = `${move.kind === "land" ? "landing" : "roll-back"} ${nameOf(move)}`;
    lines.push(...(await freeLocks(repository.root, move.base)));
    const now = await readRef(repository.root, `refs/heads/${move.base}`);
    if (now !== undefined && (await isAncestor(repository.root, move.to, now))) {
      await finishMove(context, { ...intent, held });
      lines.push(`finished the ${what} that was interrupted`);
    } else {
      lines.push(...(await undo(repository.root, move)));
      await abandonMove(engine, { ...intent, held }, call);
      lines.push(`dropped the ${what} that was interrupted: the base had not moved`);
    }
  }
  return lines;
}

/** After the base has moved: writes the proofs as notes, then records the move in the ledger. Both are idempotent. */
export async function finishMove(
  { engine, call, repository, reached }: RecoveryContext,
  intent: Intent & { readonly held: HeldRole },
): Promise<void> {
  const { members, kind, base } = moveOf(intent);
  await keepProofs(repository.root, members);
  reached?.("noted");
  const finish = kind === "land" ? finishLanding : finishRollback;
  const { allow, reason } = await finish(engine, intent, call);
  if (!allow) throw new Error(`\`${base}\` has moved, but the ledger refused to record it: ${reason}`);
}

/**
 * Removes git lock files that a killed command has left on any ref. If another git process is running, reports that and
 * continues.
 */
export async function freeLeftLocks({
  repository: { root, base },
  onProgress,
}: Pick<IntegrationContext, "repository" | "onProgress">): Promise<void> {
  try {
    for (const line of await freeLocks(root, base)) onProgress(line);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "E-GIT")) throw error;
    onProgress(error.message);
  }
}

/** Removes the lock files of killed git processes, which would stop every other git command. */
async function freeLocks(root: string, base: string): Promise<readonly string[]> {
  const checkout = (await checkoutOf(root, base)) ?? root;
  const folders = await Promise.all(
    ["--absolute-git-dir", "--git-common-dir"].map(async (which) =>
      resolve(checkout, await git(checkout, ["rev-parse", which])),
    ),
  );
  const locks = [...new Set(folders)].flatMap(locksIn);
  const removed = await removeStaleLocks({ folders: [checkout, ...folders], locks });
  return removed.map((lock) => `removed ${lock}, left by a git process that has ended`);
}

/** Restores files that an interrupted git has written; a person's own changes are not touched. */
async function undo(root: string, { base, from, to, batch }: BaseMove): Promise<readonly string[]> {
  const checkout = await checkoutOf(root, base);
  if (checkout === undefined || (await readRef(checkout, "HEAD")) !== from) return [];
  return undoHalfMove(checkout, { from, to, keepAs: putBackRef(batch) });
}

function nameOf({ members, batch }: BaseMove): string {
  const [first, ...more] = members;
  if (first === undefined) return batch;
  return more.length === 0 ? `of \`${first.branch}\`` : `of \`${first.branch}\` and ${more.length} more`;
}
