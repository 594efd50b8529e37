import type { Verdict } from "../core/rules/verdict.ts";
import type { Call, Engine } from "../engine/engine.ts";
import { abandonLanding, finishLanding, type Landing } from "../engine/record-landing.ts";
import { checkoutOf, isAncestor, moveRef, readRef } from "../workspace/git/refs.ts";
import { tryGit } from "../workspace/git/run-git.ts";

/**
 * Moves the base branch by compare and swap. Where it is checked out git itself moves it, forwards only, so that
 * a person's uncommitted work stays; what git says against it comes back.
 */
export async function moveBase(
  root: string,
  { base, from, to, branch }: Landing,
): Promise<string | undefined> {
  const checkout = await checkoutOf(root, base);
  if (checkout === undefined) {
    const moved = await moveRef(root, `refs/heads/${base}`, { from, to, why: `land ${branch}` });
    return moved ? undefined : "it moved meanwhile";
  }
  if ((await readRef(checkout, "HEAD")) !== from) return "it moved meanwhile";
  const { exit, stderr } = await tryGit(checkout, ["merge", "--ff-only", "--quiet", to]);
  if (exit === 0) return undefined;
  const told = stderr
    .trim()
    .split("\n")
    .filter((line) => line.trim() !== "");
  return told.join(" ").replace(/\s+/g, " ").slice(0, 400) || "git refused it";
}

/** What a crash left between the intent and the end: done if the base got there, undone if not. Never twice. */
export async function recoverLandings(engine: Engine, root: string, call: Call): Promise<readonly string[]> {
  const told: string[] = [];
  for (const intent of await engine.ledger.intents()) {
    if (intent.type !== "move-base") continue;
    const { base, to, branch, runner } = intent.data as Landing;
    if (runner !== null && engine.isAlive(runner)) continue;
    const now = await readRef(root, `refs/heads/${base}`);
    if (now !== undefined && (await isAncestor(root, to, now))) {
      await finishLanding(engine, intent, call);
      told.push(`finished the landing of \`${branch}\` that was interrupted`);
    } else {
      await abandonLanding(engine, intent, call);
      told.push(`dropped the landing of \`${branch}\` that was interrupted: the base had not moved`);
    }
  }
  return told;
}

export async function settleLanding(engine: Engine, task: string, call: Call): Promise<Verdict> {
  const intent = (await engine.ledger.intents()).find((one) => one.type === "move-base" && one.task === task);
  if (intent === undefined) throw new Error(`the landing ${task} was settled by somebody else`);
  return finishLanding(engine, intent, call);
}
