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

/** What a caller without a task is refused beyond writes: what hides writes, or rewrites the tree and its refs. */
const refusedKinds: Readonly<Record<GuardSettings["unclaimed"], readonly RefusalKind[]>> = {
  deny: ["unparsed", "unresolved-command", "unknown-code", "refs", "lockstep"],
  locked: ["refs", "lockstep"],
};

/** While tasks are at work: nothing in the project is written by who has none (`locked`: nothing that they hold). */
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
    found.objections.filter(concerns).map((one) => ({ ...one, reason: whatFor(one, limits) })),
  );
  if (refusal === undefined) return letRun(caller, { ...found, limits }, judging);
  const told = `no task is claimed: ${wayToClaim(judging)}; refused: ${refusal.reason}`;
  return refuseAndRecord(caller, deny(refusal.code, told, refusal.details), judging);
}

/** The lock that it lies outside of is nobody's. */
function whatFor({ code, reason, path }: Objection, limits: CommandLimits): string {
  const [inside] = path === undefined ? [] : insideOf(path, limits);
  return code === "R-PW-001" && inside !== undefined ? `writing ${quoted(inside)}` : reason;
}

function withRefusals(analysis: ShellAnalysis, kinds: readonly RefusalKind[]): ShellAnalysis {
  return { ...analysis, refusals: analysis.refusals.filter(({ kind }) => kinds.includes(kind)) };
}

/** The next legal step: the tasks that still take an agent. */
export function wayToClaim({ facts, world }: Pick<Judging, "facts" | "world">): string {
  const free = liveHolders(facts, world.clock).filter(
    ({ boundAgent, key }) => boundAgent === null && !isMeta(key),
  );
  const names = free.slice(0, 5).map((holder) => nameOf(holder, free));
  const open = names.length === 0 ? "" : ` (open: ${names.join(", ")})`;
  return `say which one you work on with \`lockstep claim TASK\`${open} and write in its scope`;
}

function nameOf({ key, id }: Holder, all: readonly Holder[]): string {
  return all.filter((other) => other.id === id).length > 1 ? key : id;
}
