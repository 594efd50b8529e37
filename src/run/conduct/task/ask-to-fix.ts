import { promptFor } from "../../../clients/input/prompt.ts";
import { refsOf } from "../../../core/names/ref-names.ts";
import type { Remediate } from "../../../hooks/lifecycle/submit-with-remediation.ts";
import { type Asking, converse } from "../../attempt/converse.ts";
import { purposes } from "../../attempt/purposes.ts";
import type { RunContext, RunTask } from "../../attempt/run-context.ts";

/** Asks the agent that did the work to fix what a hook found, in the same conversation if it has one. */
export function askToFix(
  context: RunContext,
  { plan: { id: task } }: Pick<RunTask, "plan">,
  { goOn: _, ...asking }: Asking<object>,
  conversation: string | undefined,
): Remediate {
  const { agent, input } = asking;
  return async (prompt, { maxTurns }) => {
    const delta = {
      code: "R-HK-001",
      reason: "a hook before the submission failed",
      guidance: prompt,
      details: {},
      previous_ref: refsOf({ session: context.session, task, attempt: input.attempt }).work,
    };
    const fixing = { ...input, fix_delta: delta };
    const goOn = agent.can.resume && conversation !== undefined ? { goOn: { conversation, prompt } } : {};
    const fixed = await converse(context, {
      ...{ ...asking, ...goOn, purpose: purposes.fix, input: fixing, turnsMax: maxTurns },
      prompt: promptFor(fixing, { role: agent.role, root: context.repository.root }),
    });
    // The files are checked again even if the agent used all its turns. The caller handles an attempt that is over.
    if (fixed.how !== "silent") throw new Error("reason" in fixed ? fixed.reason : fixed.how);
  };
}
