import type { GuardAnswer } from "../../contract/tool-call.ts";
import type { RuleCode } from "../../core/rules/catalog.ts";
import { allow, type Deny, deny } from "../../core/rules/verdict.ts";
import type { Objection } from "../../core/shell/judge-command.ts";
import { shortened } from "../../core/text/quoted.ts";
import type { CallRecord, Judged } from "../world/guard-world.ts";
import type { Caller } from "../world/who-is-calling.ts";

const shownMax = 5;
const reasonLengthMax = 220;
/**
 * If a call has several objections, the first code in this list decides: an unreadable call, a protected path, a path
 * outside the lock.
 */
const precedence: readonly RuleCode[] = ["R-IN-001", "R-PW-002", "R-PW-001"];

/** Combines all objections to a call into one refusal. */
export function refusalOf(objections: readonly Objection[]): Deny | undefined {
  const sorted = objections.toSorted((one, other) => rank(one.code) - rank(other.code));
  const [first] = sorted;
  if (first === undefined) return undefined;
  const all = [...new Set(sorted.map(({ reason }) => reason))];
  const reasons = all.slice(0, shownMax);
  const shown = reasons.length === 1 ? reasons : reasons.map((one) => shortened(one, reasonLengthMax));
  const more = all.length > shownMax ? ` (and ${all.length - shownMax} more)` : "";
  const path = first.path === undefined ? {} : { path: first.path };
  return deny(first.code, shown.join("; ") + more, { ...path, reasons });
}

function rank(code: RuleCode): number {
  const at = precedence.indexOf(code);
  return at < 0 ? precedence.length : at;
}

export function passed(caller: Caller, extra: Pick<GuardAnswer, "context" | "command"> = {}): Judged {
  return {
    answer: { allow: true, reason: "", ...extra },
    verdict: allow(),
    record: recordOf(caller, "allowed", null),
  };
}

export function refused(caller: Caller, verdict: Deny, more = ""): Judged {
  const reason = `${verdict.code}: ${verdict.reason}${more === "" ? "" : `\n${more}`}`;
  return {
    answer: { allow: false, reason },
    verdict,
    record: recordOf(caller, "blocked", verdict.code),
  };
}

/** For a call that has already run: the agent gets the finding with the result. */
export function foundAfterwards(caller: Caller, verdict: Deny): Judged {
  const { code, reason } = verdict;
  return {
    answer: { allow: false, reason: `${code}: ${reason}` },
    verdict,
    record: recordOf(caller, "warned", code),
  };
}

function recordOf(caller: Caller, outcome: CallRecord["outcome"], code: RuleCode | null): CallRecord {
  return {
    role: caller.kind === "orchestrator" ? "orchestrator" : "subagent",
    task: caller.kind === "task" ? caller.holder.key : caller.kind === "stale" ? caller.task : null,
    agent: caller.kind === "task" ? caller.agent : null,
    outcome,
    code,
  };
}

/** Formats a list of paths for a message. */
export function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, 10).map((path) => `\`${shortened(path, 120)}\``);
  return paths.length > shown.length
    ? `${shown.join(", ")} and ${paths.length - shown.length} more`
    : shown.join(", ");
}
