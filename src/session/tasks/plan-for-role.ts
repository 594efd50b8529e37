import { contextFilesFor } from "../../core/session/context-files.ts";
import type { LoadedPlan } from "../../workspace/plan/load-plan.ts";
import { listSessionFiles } from "../files/session-files.ts";
import type { RoleAgents } from "../roles/role-agents.ts";

interface Reading {
  readonly roles: RoleAgents;
  /** Of tasks to which the plan assigns no agent. */
  readonly role: string;
  readonly session: string;
  readonly root: string;
}

/** The plan with an agent for every task, and with the session's files that the agent must read first (S4-055). */
export function forRole(plan: LoadedPlan, { roles, role, session, root }: Reading): LoadedPlan {
  const { files } = givenTo(role, session, root);
  const tasks = plan.tasks.map((task) => ({
    ...task,
    agent: task.agent ?? roles.agentOf(role),
    context_files: [...new Set([...task.context_files, ...files])],
  }));
  return { ...plan, tasks };
}

export function givenTo(role: string, session: string, root: string) {
  return contextFilesFor(role, session, listSessionFiles(root, session));
}
