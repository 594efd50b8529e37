import { agentShell } from "../clients/agent-shell.ts";
import { type Deny, deny } from "../core/rules/verdict.ts";
import { currentFolder, findProject } from "../workspace/find-project.ts";
import { ancestorsOf } from "../workspace/process-ancestors.ts";
import { stateFolder } from "../workspace/state-folder.ts";
import { runAtWork } from "./run-at-work.ts";

/** Nobody but a person says these: an agent that could would be its own judge. */
const personsWords: readonly string[] = ["decide", "task-resolve", "task-cancel", "rollback"];

/** Why an agent is taken to be calling, who says that it is none. */
export function refuseAgent(operation: string): Deny | undefined {
  if (!personsWords.includes(operation)) return undefined;
  const seen = whyAgent();
  if (seen === undefined) return undefined;
  const what = operation === "decide" ? "answers" : "does this";
  return deny("R-AU-001", `only a person ${what}: ${seen}; use a terminal of your own`, { operation });
}

export function isByAgent(): boolean {
  return whyAgent() !== undefined;
}

function whyAgent(): string | undefined {
  const shell = agentShell(process.env);
  if (shell !== undefined) return `${shell.mark} is set, so this is the shell of an agent (${shell.client})`;
  const run = runAtWork(stateFolder(findProject(currentFolder())));
  return run !== undefined && ancestorsOf(process.pid).includes(run.pid)
    ? `this was started by the run at work (process ${run.pid})`
    : undefined;
}
