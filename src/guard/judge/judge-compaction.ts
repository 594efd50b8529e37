import type { ToolCall } from "../../contract/tool-call.ts";
import { factsOf, rules } from "../../core/points/pre-compact.ts";
import { decide } from "../../core/rules/rule.ts";
import { isActive } from "../world/active.ts";
import type { GuardStore, GuardWorld, Judged } from "../world/guard-world.ts";
import type { Caller } from "../world/who-is-calling.ts";
import { refused } from "./answers.ts";

/**
 * The PreCompact rules, on a snapshot of the ledger, while a run is active. `judged` is the answer for the agent
 * itself.
 */
export async function judgeCompaction(
  caller: Caller,
  { call, world, store, judged }: Compaction,
): Promise<Judged> {
  const snapshot = (await isActive(world, store)) ? await store?.snapshot() : undefined;
  if (snapshot === undefined) return judged;
  const session = call.session ?? undefined;
  const verdict = await decide(rules, factsOf({ session, snapshot }, world));
  return verdict.allow ? judged : refused(caller, verdict);
}

interface Compaction {
  readonly call: ToolCall;
  readonly world: GuardWorld;
  readonly store: GuardStore | undefined;
  readonly judged: Judged;
}
