import { allow, deny } from "../../core/rules/verdict.ts";
import { bindClient } from "../../engine/attempts/bind-agent.ts";
import { findTask, withTask } from "../open/find-task.ts";
import { openEngine } from "../open/open-engine.ts";
import { whoCalls } from "../open/who-calls.ts";
import { printVerdict } from "../output/verdicts.ts";

/** `lockstep claim`: prints the binding that the guard made when it saw this call. The command itself binds no agent. */
export function claimCommand(name: string): Promise<0 | 2> {
  return printVerdict(() =>
    withTask(name, async (key) => {
      const caller = await whoCalls();
      // An agent that was started with a task already has it.
      if (caller.kind === "task") {
        const own = caller.environment.LOCKSTEP_TASK?.trim();
        if (own === key) return allow({ task_id: key });
        return deny("R-AU-001", `this agent works on task \`${own}\` and cannot claim another`, {
          task_id: own,
        });
      }
      using opened = await openEngine();
      const task = await findTask(opened.engine, key);
      const attempt = await opened.engine.ledger.attempt(task.key);
      if (attempt?.boundAgent === undefined || attempt.leaseState === "over")
        return deny(
          "R-AU-001",
          `no agent is bound to \`${task.key}\`: no guard saw this call, see \`lockstep doctor\``,
          {
            task_id: task.key,
          },
        );
      if (caller.kind === "agent") {
        const refused = await bindClient(
          opened.engine,
          { client: caller.process, task: task.key },
          { role: "subagent" },
        );
        if (refused !== undefined) return refused;
      }
      const scope = task.assignment?.lock_scope;
      return allow({ task_id: task.key, epoch: attempt.epoch, agent: attempt.boundAgent, scope });
    }),
  );
}
