import { setTimeout as sleep } from "node:timers/promises";
import type { Deny } from "../../../core/rules/verdict.ts";
import { abandonMove, type BaseMove, isUnderWay, prepareMove } from "../../../engine/change/base-moves.ts";
import type { HeldRole } from "../../../engine/change/hold-role.ts";
import type { Intent } from "../../../ledger/ledger.ts";
import { RemoteFault } from "../../../workspace/git/remote.ts";
import type { IntegrationContext } from "../integration.ts";
import { asIntegrator, placeOf } from "./as-integrator.ts";
import { moveBase, type NotMoved, whyInTheWay } from "./move-base.ts";
import { pushMove, withNotes } from "./push-move.ts";
import { finishMove, recoverMove } from "./recover-moves.ts";

/** Records a move of the base, makes it, and records its end. Returns why the base did not move. */
export async function carryMove(
  context: IntegrationContext,
  planned: Omit<BaseMove, "place" | "remote" | "runner">,
): Promise<NotMoved | Deny | undefined> {
  const { engine, call, repository, config } = context;
  const { root } = repository;
  const why = config.integrate === "push" ? undefined : await whyInTheWay(root, planned);
  if (why !== undefined) return { why };
  const place = placeOf(context);
  return asIntegrator({ engine, call, place, base: planned.base }, async (held) => {
    const runner = engine.identityOf(process.pid) ?? null;
    const here = place === undefined ? {} : { place };
    const move = await withNotes(context, { ...planned, ...here, runner }, held);
    const intent = await prepareMove(engine, { ...move, held }, call);
    if ("allow" in intent) return intent;
    context.reached?.("prepared");
    const { remote } = move;
    const stopped =
      remote === undefined ? await moveBase(root, move) : await pushMove(root, { ...move, remote });
    if (stopped === undefined) {
      context.reached?.("moved");
      return finish(context, intent, held);
    }
    if (stopped !== "moved" && stopped.trouble === "fails")
      return findOut(context, { intent, held, why: stopped.why });
    await abandonMove(engine, { ...intent, held }, call);
    return stopped;
  });
}

const takenOverMsMax = 60_000;

/** If another process has taken over since the base moved, that process records it. */
async function finish(
  context: IntegrationContext,
  intent: Intent,
  held: HeldRole,
): Promise<NotMoved | undefined> {
  const replaced = await finishMove(context, { ...intent, held });
  const deadline = performance.now() + takenOverMsMax;
  while (replaced !== undefined && (await isUnderWay(context.engine, intent))) {
    if (performance.now() > deadline) return { why: replaced.reason };
    await sleep(200);
  }
  context.reached?.("settled");
  return undefined;
}

/** The remote did not say whether the base has moved. If it still does not answer, a later integration finds out. */
async function findOut(
  context: IntegrationContext,
  { intent, held, why }: { readonly intent: Intent; readonly held: HeldRole; readonly why: string },
): Promise<NotMoved | undefined> {
  try {
    const end = await recoverMove(context, intent, held);
    return end === "finished" ? undefined : { why: `the push did not succeed: ${why}`, trouble: "fails" };
  } catch (error) {
    if (!(error instanceof RemoteFault)) throw error;
    const unknown = `it is not known whether the push succeeded, which is found out next time: ${why}`;
    return { why: unknown, trouble: "fails" };
  }
}
