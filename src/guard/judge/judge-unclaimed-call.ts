import { isMeta } from "../../core/names/task-name.ts";
import { deny } from "../../core/rules/verdict.ts";
import type { CommandLimits, Objection } from "../../core/shell/judge-command.ts";
import type { RefusalKind, ShellAnalysis } from "../../core/shell/types.ts";
import { quoted } from "../../core/text/quoted.ts";
import type { Holder } from "../../engine/views/guard-facts.ts";
import { liveHolders } from "../world/active.ts";
import type { GuardSettings, Judged } from "../world/guard-world.ts";
import type { Caller } from "../world/who-is-calling.ts";
import { refusalOf } from "./answers.ts";
import { limitsWithoutTask } from "./call-limits.ts";
import { insideOf, judgeOperation } from "./judge-operation.ts";
import { type Judging, letRun } from "./judge-task-call.ts";
import { refuseAndRecord } from "./refuse-and-record.ts";
import { analyzeFor } from "./shell-call.ts";

/**
 * What a caller without a task is refused besides writes: commands that hide writes or rewrite the tree and its refs.
 */
const refusedKinds: Readonly<Record<GuardSettings["unclaimed"], readonly RefusalKind[]>> = {
  deny: ["unparsed", "unresolved-command", "unknown-code", "refs", "lockstep"],
  locked: ["refs", "lockstep"],
};

/**
 * While tasks are active, a caller without a task may write nothing in the project (`locked`: nothing that tasks hold).
 */
export async function judgeUnclaimedCall(
  caller: Extract<Caller, { kind: "subagent" }>,
  judging: Judging,
): Promise<Judged> {
  const { call, world, settings } = judging;
  const { unclaimed } = settings;
  const limits = limitsWithoutTask(judging, unclaimed);
  const analyze = async (command: string) =>
    withRefusals(await analyzeFor(command, { call, world }), refusedKinds[unclaimed]);
  const found = await judgeOperation(call, { limits, task: "", analyze });
  const concerns = ({ code, path }: Objection) =>
    code !== "R-PW-001" ||
    (unclaimed === "deny" && (path === undefined || insideOf(path, limits).length > 0));
  const refusal = refusalOf(
    found.objections.filter(concerns).map((one) => ({ ...one, reason: shortReason(one, limits) })),
  );
  if (refusal === undefined) return letRun(caller, { ...found, limits }, judging);
  const reason = `no task is claimed: ${wayToClaim(judging)}; refused: ${refusal.reason}`;
  return refuseAndRecord(caller, deny(refusal.code, reason, refusal.details), judging);
}

/** Without a task there is no lock to name, so the reason names only the path. */
function shortReason({ code, reason, path }: Objection, limits: CommandLimits): string {
  const [inside] = path === undefined ? [] : insideOf(path, limits);
  return code === "R-PW-001" && inside !== undefined ? `writing ${quoted(inside)}` : reason;
}

function withRefusals(analysis: ShellAnalysis, kinds: readonly RefusalKind[]): ShellAnalysis {
  return { ...analysis, refusals: analysis.refusals.filter(({ kind }) => kinds.includes(kind)) };
}

/** The next step for a caller without a task, with the tasks that are still open. */
export function wayToClaim({ facts, world }: Pick<Judging, "facts" | "world">): string {
  const free = liveHolders(facts, world.clock).filter(
    ({ boundAgent, key }) => boundAgent === null && !isMeta(key),
  );
  const names = free.slice(0, 5).map((holder) => nameOf(holder, free));
  const open = names.length === 0 ? "" : ` (open: ${names.join(", ")})`;
  return `claim a task with \`lockstep claim TASK\`${open} and write in its scope`;
}

function nameOf({ key, id }: Holder, all: readonly Holder[]): string {
  return all.filter((other) => other.id === id).length > 1 ? key : id;
}
