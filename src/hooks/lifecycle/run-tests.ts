import { detectTests } from "../../core/proof/detect-commands.ts";
import { failingPart } from "../../core/proof/failing-part/failing-part.ts";
import { failure, type HookContext, type HookResult, skip, success } from "./hook.ts";
import type { HookPorts } from "./hook-ports.ts";

const outputLengthMax = 3000;

/** Runs the tests, with a command detected from the project's files. */
export async function runTests(
  context: HookContext,
  { top, prove }: Pick<HookPorts, "top" | "prove">,
): Promise<HookResult> {
  const command = detectTests(top);
  if (command === undefined) return skip("no test command was detected in the project");
  const run = await prove(command);
  if ("error" in run) return failure(`\`${command}\` could not be run: ${run.error}`);
  if (run.exit === 0) return success(`\`${command}\` passed`, { tests: command });
  const how = run.exit === null ? "was stopped" : `failed with exit code ${run.exit}`;
  return failure(`\`${command}\` ${how}`, {
    context: { tests: command },
    prompt: [
      `\`${command}\` ${how} on your branch \`${context.branch_name}\`. Output:`,
      "",
      failingPart(run.output).slice(0, outputLengthMax),
      "",
      `Find the cause, fix it in ${context.worktree} and commit. Do not weaken or remove tests.`,
    ].join("\n"),
  });
}
