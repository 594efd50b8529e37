import type { RunTask } from "../run/attempt/run-context.ts";
import type { SessionContext } from "./session-context.ts";

const sensitive =
  /\b(?:auth\w*|log-?in|passwords?|tokens?|secrets?|permissions?|inputs?|uploads?|network|https?|urls?|sql|crypto\w*)\b/i;

/** Reviewer always, QA for what can be tested, Security where it is about what an attacker could use. */
export function reviewersOf({ roles }: SessionContext, { plan }: RunTask): readonly string[] {
  const isSensitive = plan.risk_flags.includes("security") || sensitive.test(`${plan.title}\n${plan.goal}`);
  return ["Reviewer", "QA", ...(isSensitive ? ["Security"] : [])].map(roles.agentOf);
}
