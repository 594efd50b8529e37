import { promptFor } from "../../clients/input/prompt.ts";
import { refsOf } from "../../core/names/ref-names.ts";
import type { Remediate } from "../../hooks/lifecycle/submit-with-remediation.ts";
import { askAgent } from "../attempt/ask-agent.ts";
import type { Talk } from "../attempt/converse.ts";
import type { RunContext } from "../attempt/run-context.ts";

/** Lets the agent that did the work mend what a hook found, in its own conversation where it has one. */
export function askToMend(
  context: RunContext,
  { task, heartbeats, ...talk }: Talk,
  conversation: string | undefined,
): Remediate {
  const { agent, input } = talk;
  const resume = agent.can.resume ? conversation : undefined;
  return async (prompt, { maxTurns }) => {
    let turns = 0;
    let stop = () => {};
    const delta = {
      code: "R-HK-001",
      reason: "a hook before the submission failed",
      guidance: prompt,
      details: {},
      previous_ref: refsOf({ session: context.session, task: task.plan.id, attempt: input.attempt }).work,
    };
    const mending = { ...input, fix_delta: delta };
    const { end } = await askAgent(context, {
      ...talk,
      input: mending,
      prompt:
        resume === undefined
          ? promptFor(mending, { role: agent.role, root: context.repository.root })
          : prompt,
      ...(resume === undefined ? {} : { resume }),
      onEvent: (event) => {
        context.onTask(task.key, event);
        heartbeats.see(event);
        turns += event.type === "tool" ? 1 : 0;
        if (turns === maxTurns) stop();
      },
      follow: (end) => {
        stop = end;
        return heartbeats.follow(end);
      },
    });
    await heartbeats.finish();
    // Its answer does not matter: the tree is looked at again, also after all its turns.
    if (end.how !== "done" && turns < maxTurns) throw new Error("reason" in end ? end.reason : end.how);
  };
}
