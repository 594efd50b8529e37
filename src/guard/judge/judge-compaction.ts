import type { ToolCall } from "../../contract/tool-call.ts";
import { factsOf, rules } from "../../core/points/pre-compact.ts";
import { decide } from "../../core/rules/rule.ts";
import { isActive } from "../world/active.ts";
import type { GuardDesk, GuardWorld, Judged } from "../world/guard-world.ts";
import type { Caller } from "../world/who-is-calling.ts";
import { refused } from "./answers.ts";

/** PreCompact, out of the ledger, while anything is active: `told` is what its agent hears beside it. */
export async function judgeCompaction(
  caller: Caller,
  { call, world, desk, told }: Compaction,
): Promise<Judged> {
  const snapshot = (await isActive(world, desk)) ? await desk?.snapshot() : undefined;
  if (snapshot === undefined) return told;
  const session = call.session ?? undefined;
  const verdict = await decide(rules, factsOf({ session, snapshot }, world));
  return verdict.allow ? told : refused(caller, verdict);
}

interface Compaction {
  readonly call: ToolCall;
  readonly world: GuardWorld;
  readonly desk: GuardDesk | undefined;
  readonly told: Judged;
}
