import { join } from "node:path";
import { sessionsFolder } from "../../../core/names/session-paths.ts";
import { readPlanSource } from "../../../workspace/plan/plan-source.ts";
import type { IntegrationContext } from "../../landing/integration.ts";

/** A session is merged into the branch that it began on. Undefined if that is the base now, or if it is unknown. */
export function beganElsewhere(
  { config, repository }: Pick<IntegrationContext, "config" | "repository">,
  session: string,
): { readonly branch: string; readonly why: string; readonly remedy: string } | undefined {
  const { root, base } = repository;
  const own = readPlanSource(join(root, sessionsFolder, session))?.base;
  if (own === undefined || own === base) return undefined;
  const isSet = config.base_branch !== null;
  return {
    branch: own,
    why: `${session} began on \`${own}\`, and ${isSet ? `\`base_branch\` is \`${base}\`` : `\`${base}\` is checked out`}`,
    remedy: isSet ? `set \`base_branch\` to \`${own}\`` : `\`git switch ${own}\``,
  };
}
