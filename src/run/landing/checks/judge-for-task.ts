import type { Place } from "../../../core/paths/place.ts";
import type { Judgement } from "../../../core/proof/weakening.ts";
import { type JudgedCheck, judgeChange } from "../../../proof/judgement/judge-change.ts";
import { readDiff } from "../../../workspace/git/read-diff.ts";
import { openProver, type ProverContext } from "./open-prover.ts";

interface Wanted {
  readonly place: Place;
  /** The commit that the task was dispatched on. */
  readonly base: string;
  readonly commit: string;
  /** Commands that pass on the commit. */
  readonly commands: readonly string[];
}

/** Judges a commit by the tests of its base, for work that Lockstep does not merge itself. */
export async function judgeForTask(
  context: ProverContext,
  { place, base, commit, commands }: Wanted,
): Promise<Judgement | { readonly error: string }> {
  const { root } = context.repository;
  using prover = await openProver(context);
  const checks: JudgedCheck[] = [];
  let tree = "";
  for (const command of commands) {
    const before = await prover.run(base, command);
    const after = await prover.run(commit, command);
    if ("error" in after) return after;
    ({ tree } = after);
    // A command that fails or cannot run on the base verified nothing there.
    if (!("error" in before) && before.run.exit === 0) checks.push({ command, before, after });
  }
  const changed = (await readDiff(root, base, commit)).map(({ path }) => path);
  return judgeChange({
    ...{ root, place, prover, base, commit, tree, checks, later: [], mayChange: [] },
    ...{ tests: context.config.tests, change: { base, changed }, onProgress: context.onProgress },
  });
}
