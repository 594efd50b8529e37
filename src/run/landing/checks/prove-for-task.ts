import { join } from "node:path";
import type { Evidence } from "../../../core/tasks/evidence.ts";
import type { RecordedCheck } from "../../../workspace/state/check-outputs.ts";
import { recordChecks } from "../evidence/record-proofs.ts";
import { openProver, type ProverContext } from "./open-prover.ts";
import { settledRun, tryCheck } from "./try-check.ts";

interface Wanted {
  readonly commit: string;
  readonly command: string;
  readonly task: string;
}

/** The checks that this process has run, by task and commit. */
const known = new Map<string, Map<string, RecordedCheck>>();

/** Runs one command on one commit as a landing does. `lockstep log TASK` finds the output of a failure. */
export async function proveForTask(
  context: ProverContext,
  { commit, command, task }: Wanted,
): Promise<Evidence | { readonly error: string }> {
  using prover = await openProver(context);
  const tried = await tryCheck(prover, { commit, command, onProgress: context.onProgress });
  if ("error" in tried) return tried;
  const { earlier, ...run } = settledRun(tried);
  const isFlaky = earlier !== undefined && !context.config.checks.flaky.includes(command);
  const { excerpt, log } = earlier ?? run;
  const checks = known.get(`${task} ${commit}`) ?? new Map<string, RecordedCheck>();
  known.set(`${task} ${commit}`, checks);
  const outcome = earlier !== undefined ? "flaky" : run.exit === 0 ? "pass" : "fail";
  checks.set(command, { command, on: "the change", outcome, exit: run.exit, log: log ?? null });
  const stateFolder = join(context.repository.commonFolder, "lockstep");
  await recordChecks({ ...context, stateFolder }, { task }, [...checks.values()]);
  return {
    ...{ command, tree: tried.tree, ...run },
    ...(excerpt === undefined ? {} : { excerpt }),
    ...(log === undefined ? {} : { log }),
    ...(isFlaky
      ? { flaky: `flaky: exit ${earlier.exit} at ${earlier.at}, then a pass on the same tree` }
      : {}),
  };
}
