import { type Deny, deny } from "../core/rules/verdict.ts";
import type { GuardFacts } from "../engine/guard-facts.ts";
import { passed, refusalOf, refused } from "./answers.ts";
import { limitsOf } from "./call-limits.ts";
import type { GuardDesk, GuardSettings, GuardWorld, Judged } from "./guard-world.ts";
import { judgeOperation } from "./judge-operation.ts";
import { mayChange } from "./may-change.ts";
import { refuseAndRecord } from "./refuse-and-record.ts";
import { analyzeFor } from "./shell-call.ts";
import type { ToolCall } from "./tool-call.ts";
import { isUnknownWriter, rememberCall } from "./watched-changes.ts";
import type { Caller } from "./who-is-calling.ts";

export interface Judging {
  readonly call: ToolCall;
  readonly world: GuardWorld;
  readonly desk: GuardDesk;
  readonly facts: GuardFacts;
  readonly settings: GuardSettings;
}

/** A caller with a task: PreWrite's rules on everything that the call would write. */
export async function judgeTaskCall(
  caller: Extract<Caller, { kind: "task" }>,
  judging: Judging,
): Promise<Judged> {
  const { call, world, facts, settings } = judging;
  const { holder } = caller;
  const analyze = (command: string) => analyzeFor(command, { call, world, task: holder.key });
  const stopped = await findStopped(facts, call, () => mayChange(call, analyze));
  if (stopped !== undefined) return refused(caller, stopped);
  const limits = limitsOf(holder, judging);
  const found = await judgeOperation(call, { limits, task: holder.id, analyze });
  const refusal = refusalOf(found.objections);
  if (refusal !== undefined) return refuseAndRecord(caller, refusal, judging);
  if (found.opaque.length === 0) return letPass(caller, judging);
  return letRun(caller, found.opaque, judging, settings);
}

/** A call that nothing speaks against; a tool that nobody knows may still write anywhere. */
export async function letPass(caller: Caller, { call, world }: Judging): Promise<Judged> {
  if (isUnknownWriter(call)) await rememberCall(call, world);
  return passed(caller);
}

/** A call whose writes cannot be known: inside the sandbox it runs, without one the tree is compared afterwards. */
export async function letRun(
  caller: Caller,
  opaque: readonly string[],
  judging: Judging,
  { opaque: mode }: Pick<GuardSettings, "opaque">,
): Promise<Judged> {
  const { call, world } = judging;
  if (world.trees === undefined) return passed(caller);
  if (mode === "verify") {
    await rememberCall(call, world);
    return passed(caller);
  }
  const why = `what it writes cannot be known before it runs (${opaque[0]}): name what it does step by step`;
  return refuseAndRecord(caller, deny("R-PW-001", `${why}, or let a person set \`guard.opaque\``), judging);
}

/** A person's word comes first: nothing is written while all is stopped, and nothing delegated while it is paused. */
export async function findStopped(
  { breaker }: GuardFacts,
  call: ToolCall,
  changes: () => Promise<boolean>,
): Promise<Deny | undefined> {
  if (breaker === "CLEAR") return undefined;
  const concerned = call.operation.kind === "spawn" || (breaker === "STOP" && (await changes()));
  if (!concerned) return undefined;
  const word = breaker === "PAUSE" ? "paused" : "stopped";
  return deny("R-CB-001", `all work is ${word}: wait until a person runs \`lockstep clear\``, {
    mode: breaker,
  });
}
