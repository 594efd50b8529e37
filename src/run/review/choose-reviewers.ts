import type { Config } from "../../contract/config.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import { resolveHooks } from "../../hooks/lifecycle/resolve-hooks.ts";

type Known = Pick<Config, "agents" | "task_types" | "hooks">;

export interface ReviewedPlan {
  readonly type: string | null;
  /** Everybody who worked on it: nobody reviews what is partly their own. */
  readonly makers: ReadonlySet<string>;
}

/** Who may look at others' work where the type names nobody. */
const reviewRoles = ["Reviewer", "QA", "Security", "Architect"];

/** A gatekeeper with a role of another kind looks at the work as a reviewer does. */
export function reviewRole({ agents }: Known, agent: string): string {
  const role = agents[agent]?.role ?? "";
  return reviewRoles.includes(role) ? role : "Reviewer";
}

/** All gatekeepers of its type, unless a `gatekeeper` hook says what has to be approved. */
export function reviewersOf(config: Known, { type, makers }: ReviewedPlan): readonly string[] {
  if (gatesOf(config, { type, makers }).length > 0) return [];
  return (gatekeepersOf(config, type) ?? []).filter((agent) => !makers.has(agent));
}

/** Who looks at one thing, such as `qa`: whoever is called so or has that role, else the first of those who may. */
export function gatekeeperFor(
  config: Known,
  { type, makers }: ReviewedPlan,
  name: string,
): string | undefined {
  const all = Object.keys(config.agents);
  const withRole = all.filter((agent) => reviewRoles.includes(config.agents[agent]?.role ?? ""));
  const allowed = (gatekeepersOf(config, type) ?? withRole).filter((agent) => !makers.has(agent));
  const wanted = name.toLowerCase();
  return (
    allowed.find((agent) => agent === name) ??
    allowed.find((agent) => config.agents[agent]?.role.toLowerCase() === wanted) ??
    allowed.find((agent) =>
      agent
        .toLowerCase()
        .split(/[^a-z0-9]+/)
        .includes(wanted),
    ) ??
    allowed[0]
  );
}

/** The agents that will be asked about these tasks; or why some work could be reviewed by nobody but its maker. */
export function reviewersNeeded(
  config: Known,
  tasks: readonly {
    readonly plan: { readonly id: string; readonly type: string | null };
    readonly agent: string;
  }[],
): { readonly names: ReadonlySet<string> } | Deny {
  const names = new Set<string>();
  for (const { plan, agent } of tasks) {
    const reviewed = { type: plan.type, makers: new Set([agent]) };
    const found = reviewersOf(config, reviewed);
    const listed = gatekeepersOf(config, plan.type) ?? [];
    const gates = gatesOf(config, reviewed);
    if (gates.length === 0 && listed.length > 0 && found.length === 0) return ownJudge(plan, agent);
    for (const name of found) names.add(name);
    for (const gate of gates) {
      const gatekeeper = gatekeeperFor(config, reviewed, gate);
      if (gatekeeper === undefined) return ownJudge(plan, agent);
      names.add(gatekeeper);
    }
  }
  return { names };
}

function ownJudge({ id, type }: { readonly id: string; readonly type: string | null }, agent: string): Deny {
  const where =
    type === null
      ? "give another agent the role Reviewer"
      : `list another agent under \`task_types.${type}.agents.gatekeeper\``;
  return deny(
    "E-PLAN",
    `the only possible reviewer of task \`${id}\` is \`${agent}\`, which works on it: ${where}`,
    {
      task: id,
      agent,
    },
  );
}

/** The names that `gatekeeper` hooks want approved; those of the agent that does the work count. */
function gatesOf(config: Known, { type, makers }: ReviewedPlan): readonly string[] {
  const [maker = null] = makers;
  return resolveHooks(config, "before_merge", type, maker).flatMap((hook) =>
    "name" in hook && hook.name === "gatekeeper" && Array.isArray(hook.parameters) ? hook.parameters : [],
  );
}

function gatekeepersOf({ task_types: types }: Known, type: string | null): readonly string[] | null {
  return type !== null && Object.hasOwn(types, type) ? (types[type]?.agents.gatekeeper ?? null) : null;
}
