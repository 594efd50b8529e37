import type { Config } from "../../contract/config.ts";
import type { Deny } from "../../core/rules/verdict.ts";
import type { Agents } from "../attempt/agents.ts";
import type { RunTask } from "../attempt/run-context.ts";
import { reviewersNeeded } from "../review/choose-reviewers.ts";

/**
 * Probes every agent that the tasks and their reviews can need. With `hasOthers`, other machines may do what this one
 * cannot, but the reviews are done here.
 */
export async function prepareAgents(
  agents: Agents,
  config: Config,
  tasks: readonly RunTask[],
  hasOthers = false,
): Promise<Deny | undefined> {
  const reviewers = reviewersNeeded(config, tasks);
  if ("allow" in reviewers) return reviewers;
  const refused = await agents.prepare([...tasks.map(({ agent }) => agent), ...reviewers.names]);
  return hasOthers ? agents.prepare(reviewers.names) : refused;
}
