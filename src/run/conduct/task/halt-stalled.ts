import { type Cycle, stalledCycles } from "../../../core/loops/progress.ts";
import { refsOf } from "../../../core/names/ref-names.ts";
import type { Verdict } from "../../../core/rules/verdict.ts";
import { haltTask } from "../../../engine/attempts/halt-task.ts";
import { dataOf } from "../../../ledger/event-data.ts";
import { tryGit } from "../../../workspace/git/run-git.ts";
import type { RunContext } from "../../attempt/run-context.ts";

type Context = Pick<RunContext, "engine" | "repository" | "config" | "call">;

/**
 * Halts a task whose work was rejected several times without progress, so that a person decides before more is spent
 * (S1-123). Called after a rejection; undefined if the task may be reworked.
 */
export async function haltStalled(context: Context, key: string): Promise<Verdict | undefined> {
  const { engine, config, call } = context;
  const task = await engine.ledger.task(key);
  if (task?.state !== "REJECTED" || task.refusal === null) return undefined;
  const cycles = stalledCycles(await readCycles(context, { key, id: task.id, session: task.session }));
  const { stalled_cycles: limit } = config.limits;
  if (cycles < limit) return undefined;
  return haltTask(
    engine,
    { task: key, refusal: task.refusal, halt: { signal: "stalled", cycles, limit } },
    call,
  );
}

/** The attempts that were rejected in review since a person last resolved the task. */
async function readCycles(
  { engine, repository }: Context,
  { key, id, session }: { readonly key: string; readonly id: string; readonly session: string | null },
): Promise<readonly Cycle[]> {
  let cycles: Cycle[] = [];
  let attempt = 0;
  for (const event of await engine.ledger.events({ task: key })) {
    if (event.type === "task.started") attempt += 1;
    if (event.type === "task.resolved") cycles = [];
    const rejected = dataOf(event, "task.rejected");
    if (rejected === undefined) continue;
    const tree = await treeOf(repository.root, refsOf({ session, task: id, attempt }).work);
    cycles.push({ tree, fingerprint: rejected.fingerprint ?? "" });
  }
  return cycles;
}

async function treeOf(root: string, ref: string): Promise<string | null> {
  const { exit, stdout } = await tryGit(root, ["rev-parse", "--verify", "--quiet", `${ref}^{tree}`]);
  return exit === 0 ? stdout.toString("utf8").trim() : null;
}
