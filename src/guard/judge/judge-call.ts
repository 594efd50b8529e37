import type { ToolCall } from "../../contract/tool-call.ts";
import { deny } from "../../core/rules/verdict.ts";
import { tellReadOnly } from "../contain/tell-read-only.ts";
import { hasLiveHolder, isActive } from "../world/active.ts";
import { callName, preparedId } from "../world/call-file.ts";
import type { GuardStore, GuardWorld, Judged } from "../world/guard-world.ts";
import { type Caller, whoIsCalling } from "../world/who-is-calling.ts";
import { foundAfterwards, passed, refusalOf, refused } from "./answers.ts";
import { claimedTask, handsIn, judgeClaim } from "./claim-call.ts";
import { finishCall, finishCalls } from "./finish-calls.ts";
import { judgeCompaction } from "./judge-compaction.ts";
import { refuseLoop, warnOfLoop } from "./judge-loops.ts";
import { judgeOrchestration } from "./judge-orchestration.ts";
import { judgeStop, rememberBeginning } from "./judge-stop.ts";
import { type Judging, judgeTaskCall } from "./judge-task-call.ts";
import { judgeUnclaimedCall } from "./judge-unclaimed-call.ts";
import { findLedgerWrite } from "./ledger-writes.ts";
import { mayChange } from "./may-change.ts";
import { beginningFor } from "./session-beginning.ts";
import { analyzeFor } from "./shell-call.ts";
import { tellAnswers } from "./tell-answers.ts";

/**
 * Judges one event of a client. While a run or an orchestrator is active, the call is also recorded in the audit log.
 */
export async function judgeCall(call: ToolCall, world: GuardWorld): Promise<Judged> {
  const store = await world.store();
  const caller = await whoIsCalling(call, world, store);
  const first = await judgeFor(caller, call, world, store);
  const judged =
    call.event === "compact" ? await judgeCompaction(caller, { call, world, store, judged: first }) : first;
  const isAudited = call.event === "after-tool" || judged.record.outcome === "blocked";
  if (caller.kind !== "orchestrator" && isAudited && (await isActive(world, store)))
    await (await world.orchestrators?.())?.record(call, judged.record);
  return judged;
}

async function judgeFor(
  caller: Caller,
  call: ToolCall,
  world: GuardWorld,
  store: GuardStore | undefined,
): Promise<Judged> {
  if (call.event === "settings-change") return judgeSettingsChange(caller, world, store);
  if (caller.kind === "orchestrator") return judgeOrchestration(caller, call, world, store);
  switch (call.event) {
    case "before-tool":
      return judgeBefore(caller, call, world, store);
    case "after-tool":
    case "compact":
    case "session-start":
    case "subagent-start":
    case "stop":
    case "subagent-stop":
    case "session-end":
      return store === undefined || caller.kind === "stale"
        ? passed(caller)
        : judgeBeside(caller, await judgingOf(call, world, store));
    default:
      return passed(caller);
  }
}

type Worker = Exclude<Caller, { kind: "orchestrator" }>;

async function judgeBefore(
  caller: Worker,
  call: ToolCall,
  world: GuardWorld,
  store: GuardStore | undefined,
): Promise<Judged> {
  const claimed = claimedTask(call);
  if (claimed !== undefined && caller.kind !== "task") {
    const isStarted = caller.kind === "stale" && world.environment.LOCKSTEP_TASK !== undefined;
    return isStarted ? refused(caller, caller.refused) : judgeClaim(call, claimed, { caller, store, world });
  }
  if (claimed !== undefined && caller.kind === "task") await bindAgain(caller, claimed, { world, store });
  if (caller.kind === "stale") {
    const changes = await mayChange(call, (command) => analyzeFor(command, { call, world }));
    return changes ? refused(caller, caller.refused) : passed(caller);
  }
  if (store === undefined) return judgeIdle(caller, call, world, store);
  const judging = await judgingOf(call, world, store);
  if (preparedId(call) !== undefined && (await world.sandbox?.())?.isPrepared(call)) return passed(caller);
  const strayed = await finishCalls(caller, judging, { all: handsIn(call) });
  if (strayed !== undefined)
    return refused(caller, { ...strayed, reason: `${strayed.reason}; then repeat this call` });
  if (caller.kind === "task") {
    const judged = (await refuseLoop(caller, judging)) ?? (await judgeTaskCall(caller, judging));
    // Not every client can show extra text with an allowed call.
    return judged.answer.allow ? judged : tellAnswers(caller, judged, judging);
  }
  return hasLiveHolder(judging.facts, world.clock)
    ? judgeUnclaimedCall(caller, judging)
    : judgeIdle(caller, call, world, store);
}

/** An agent that claims its own task again may come from a client that was restarted. */
async function bindAgain(
  { holder, agent }: Extract<Caller, { kind: "task" }>,
  claimed: string,
  { world, store }: { readonly world: GuardWorld; readonly store: GuardStore | undefined },
): Promise<void> {
  const isClaimed = world.environment.LOCKSTEP_TASK === undefined && agent !== null;
  if (isClaimed && (claimed === holder.key || claimed === holder.id)) await store?.bind(agent, holder.key);
}

/**
 * No task is active: every call is allowed, except a write to the ledger, or a call that cannot be parsed during a run.
 */
async function judgeIdle(
  caller: Worker,
  call: ToolCall,
  world: GuardWorld,
  store: GuardStore | undefined,
): Promise<Judged> {
  if (call.operation.kind === "malformed" && (await isActive(world, store)))
    return refused(caller, deny("R-IN-001", `the call cannot be understood: ${call.operation.reason}`));
  const objection = store === undefined ? undefined : await findLedgerWrite(call, world);
  const refusal = refusalOf(objection === undefined ? [] : [objection]);
  return refusal === undefined ? passed(caller) : refused(caller, refusal);
}

/** Events other than a call that is about to run. */
async function judgeBeside(
  caller: Extract<Caller, { kind: "task" | "subagent" }>,
  judging: Judging,
): Promise<Judged> {
  switch (judging.call.event) {
    case "after-tool": {
      const judged = tellReadOnly(await judgeAfter(caller, judging), caller, judging.call);
      return caller.kind === "task"
        ? tellAnswers(caller, warnOfLoop(caller, judged, judging), judging)
        : judged;
    }
    case "stop":
    case "subagent-stop":
    case "session-end": {
      // The findings are put back and recorded only: no call is left that could report them to the agent.
      await finishCalls(caller, judging, { all: true });
      const stops = caller.kind === "task" && judging.call.event !== "session-end";
      return stops ? judgeStop(caller, judging) : passed(caller);
    }
    default: {
      if (caller.kind === "task" && judging.call.event !== "compact")
        await rememberBeginning(caller.holder, judging.call, judging);
      const context = beginningFor(caller, judging);
      return passed(caller, context === undefined ? {} : { context });
    }
  }
}

/** Finds what a call wrote that could not be known before it ran, by comparing its tree before and after. */
async function judgeAfter(
  caller: Extract<Caller, { kind: "task" | "subagent" }>,
  judging: Judging,
): Promise<Judged> {
  const strayed = await finishCall(caller, callName(judging.call), judging);
  return strayed === undefined
    ? passed(caller)
    : foundAfterwards(caller, { ...strayed, reason: `this call ${strayed.reason}` });
}

/** A change to the client's settings while agents work could switch the guard off. */
async function judgeSettingsChange(
  caller: Caller,
  world: GuardWorld,
  store: GuardStore | undefined,
): Promise<Judged> {
  if (caller.kind === "subagent" && !(await isActive(world, store))) return passed(caller);
  const why = "the client's settings cannot be changed while agents work: change them when no run is active";
  return refused(caller, deny("R-PW-002", why));
}

async function judgingOf(call: ToolCall, world: GuardWorld, store: GuardStore): Promise<Judging> {
  return { call, world, store, facts: await store.facts(), settings: await world.settings() };
}
