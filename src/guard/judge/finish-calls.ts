import type { ToolCall } from "../../contract/tool-call.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import type { Holder } from "../../engine/views/guard-facts.ts";
import { callName } from "../world/call-file.ts";
import type { CallOwner, PendingCall } from "../world/pending-calls.ts";
import { agentOf, type Caller } from "../world/who-is-calling.ts";
import { findStrayed } from "./judge-strays.ts";
import type { Judging } from "./judge-task-call.ts";

type Worker = Extract<Caller, { kind: "task" | "subagent" }>;

/** A call whose end the client did not report may still be running. It is compared at most this often. */
const seenMsMax = 30_000;

/** Comparisons that run in this process. A hook may time out while its comparison is still running. */
const running = new Map<string, Promise<Deny | undefined>>();

export function ownerOf(caller: Caller, call: ToolCall): CallOwner {
  const owner = caller.kind === "task" ? ownerOfTask(caller.holder) : (agentOf(call) ?? "nobody");
  return { owner, session: call.session };
}

export const ownerOfTask = ({ key }: Pick<Holder, "key">) => `task ${key}`;

/**
 * Compares the tree after a finished call with the tree before it. The call stays pending until the comparison is done.
 */
export async function finishCall(caller: Worker, name: string, judging: Judging): Promise<Deny | undefined> {
  const { trees } = judging.world;
  trees?.change(name, { isOver: true });
  const strayed = await compareOnce(caller, name, judging);
  trees?.forget(name);
  return strayed;
}

/**
 * Finishes earlier calls of the same caller that were not compared yet, because the comparison took too long or the
 * client did not report their end. With `all`, none of them can still be running.
 */
export async function finishCalls(
  caller: Worker,
  judging: Judging,
  { all }: { readonly all: boolean },
): Promise<Deny | undefined> {
  const { call, world } = judging;
  const { owner, session } = ownerOf(caller, call);
  const reasons: string[] = [];
  for (const pending of world.trees?.pending(owner) ?? []) {
    if (pending.name === callName(call)) continue;
    const isOver = all || pending.isOver || pending.session !== session;
    if (!isOver && Date.now() - pending.seenMs < seenMsMax) continue;
    const strayed = isOver
      ? await finishCall(caller, pending.name, judging)
      : await lookAt(caller, pending, judging);
    if (strayed !== undefined) reasons.push(strayed.reason);
  }
  return reasons.length === 0 ? undefined : deny("R-PW-001", `an earlier call ${reasons.join("; ")}`);
}

async function lookAt(caller: Worker, { name }: PendingCall, judging: Judging): Promise<Deny | undefined> {
  const strayed = await compareOnce(caller, name, judging);
  judging.world.trees?.change(name, { seenMs: Date.now() });
  return strayed;
}

function compareOnce(caller: Worker, name: string, judging: Judging): Promise<Deny | undefined> {
  const key = `${judging.world.stateFolder}\n${name}`;
  const known = running.get(key);
  if (known !== undefined) return known;
  const comparing = findStrayed(caller, name, judging).finally(() => running.delete(key));
  running.set(key, comparing);
  return comparing;
}
