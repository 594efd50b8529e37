import { taskKey } from "../../core/names/task-name.ts";
import { moveSession } from "../../engine/sessions/move-session.ts";
import type { RunContext } from "../../run/attempt/run-context.ts";
import type { SessionWays } from "../../run/conduct/fleet/find-sessions.ts";
import { judgeViewEdit } from "../roles/judge-view-edit.ts";
import type { RoleAgents } from "../roles/role-agents.ts";
import { SessionFault } from "../roles/session-context.ts";
import { forRole, givenTo } from "./plan-for-role.ts";

/** How a machine that does not conduct a session of `start` does its tasks: as its conductor would. */
export function waysOfSession(roles: RoleAgents): SessionWays {
  return {
    planOf: (plan, session, root) => forRole(plan, { roles, role: "Coder", session, root }),
    contextOf: (given) => {
      const { session, engine, call, repository } = given;
      const context: RunContext = { ...given, config: { ...roles.config, limits: given.config.limits } };
      const move = async (event: Parameters<typeof moveSession>[1]["event"]) => {
        const moved = await moveSession(engine, { session, event }, call);
        if ("allow" in moved) throw new SessionFault(moved);
        return moved;
      };
      return {
        ...context,
        filesFor: (role) => givenTo(role, session, repository.root).files,
        onViewEdit: ({ agent, plan }, edit) => {
          const say = (text: string) => context.onTask(taskKey(session, plan.id), { type: "said", text });
          const role = context.config.agents[agent]?.role ?? "Coder";
          return judgeViewEdit({ name: session, context, move, say }, { role, task: plan.id, edit });
        },
      };
    },
  };
}
