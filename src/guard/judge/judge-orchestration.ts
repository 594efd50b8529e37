import type { ToolCall } from "../../contract/tool-call.ts";
import { deny } from "../../core/rules/verdict.ts";
import type { GuardFacts } from "../../engine/views/guard-facts.ts";
import { callName } from "../world/call-file.ts";
import type { GuardStore, GuardWorld, Judged } from "../world/guard-world.ts";
import type { Caller } from "../world/who-is-calling.ts";
import { listed, passed, refused } from "./answers.ts";
import { limitsWithoutTask } from "./call-limits.ts";
import { recordedMax, strays } from "./judge-strays.ts";
import { findStopped } from "./judge-task-call.ts";
import { violationOf } from "./refuse-and-record.ts";
import { analyzeFor, commandsOf } from "./shell-call.ts";
import { changedSince, isUnknownWriter, rememberTree } from "./watched-changes.ts";

const noFacts: GuardFacts = { breaker: "CLEAR", holders: [] };

/** Judges an event of an orchestrator by the orchestrator rules. A person's stop or pause comes first. */
export async function judgeOrchestration(
  caller: Extract<Caller, { kind: "orchestrator" }>,
  call: ToolCall,
  world: GuardWorld,
  store: GuardStore | undefined,
): Promise<Judged> {
  const facts = store === undefined ? noFacts : await store.facts();
  const stopped =
    call.event === "before-tool" ? await findStopped(facts, call, async () => false) : undefined;
  if (stopped !== undefined) return refused(caller, stopped);
  const orchestrators = await world.orchestrators?.();
  if (orchestrators === undefined) return passed(caller);
  const strayed = call.event === "after-tool" ? await strayedBy(call, world, facts) : [];
  const { answer, code } = await orchestrators.judge(call, strayed);
  await recordStrayed(caller, call, { strayed, store });
  if (code !== null) return { ...refused(caller, deny(code, answer.reason)), answer };
  if (call.event === "before-tool" && (await isOpaque(call, world)))
    await rememberTree(callName(call), call, world);
  return { ...passed(caller), answer };
}

async function isOpaque(call: ToolCall, world: GuardWorld): Promise<boolean> {
  if (world.trees === undefined) return false;
  if (isUnknownWriter(call)) return true;
  for (const command of commandsOf(call))
    if ((await analyzeFor(command, { call, world })).opaque.length > 0) return true;
  return false;
}

/** Paths in a live task's lock are left out, because the change may be that task's own work. */
async function strayedBy(call: ToolCall, world: GuardWorld, facts: GuardFacts): Promise<readonly string[]> {
  const settings = await world.settings();
  const changed = await changedSince(callName(call), world, settings);
  if (changed === undefined) return [];
  world.trees?.forget(callName(call));
  const asking = { call, world, facts, settings };
  const limits = limitsWithoutTask(asking, "deny");
  const { forbidden: held } = limitsWithoutTask(asking, "locked");
  return changed.paths.filter((path) => held.entryOf(path) === undefined && strays(path, limits));
}

async function recordStrayed(
  caller: Caller,
  call: ToolCall,
  { strayed, store }: { readonly strayed: readonly string[]; readonly store: GuardStore | undefined },
): Promise<void> {
  if (strayed.length === 0) return;
  const why = `an orchestrator's command changed ${listed(strayed)}: delegate this work to a subagent`;
  const refusal = deny("R-OR-001", why);
  for (const target of strayed.slice(0, recordedMax))
    await store?.record(violationOf(caller, call, { kind: "strayed", refusal, target }));
}
