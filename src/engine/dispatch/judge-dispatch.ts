import type { Entry } from "../../core/paths/entry.ts";
import { entryFrom, literalPrefix } from "../../core/paths/stored-shape.ts";
import { spellingsOf } from "../../core/points/judge-write.ts";
import {
  type DispatchFacts,
  factsOf,
  lockEntries,
  rules,
  worklogEntries,
} from "../../core/points/pre-dispatch.ts";
import { decide } from "../../core/rules/rule.ts";
import { type Deny, deny, type Verdict } from "../../core/rules/verdict.ts";
import type { Attempt, Lock } from "../../ledger/ledger.ts";
import type { Engine } from "../change/engine.ts";
import type { Packet } from "./read-packet.ts";

export interface Judged {
  readonly verdict: Verdict;
  /** The fence before the check: a commit that expects it has taken all locks into account. */
  readonly fence: number;
  /** The task in this ledger that holds what this one needs. */
  readonly conflict: string | undefined;
  readonly entries: readonly Entry[];
  readonly uses: readonly string[];
  readonly timeoutSeconds: number;
  readonly worklogBytes: number;
  /** The attempt before this one. */
  readonly previous: Attempt | undefined;
}

/** Applies the rules of PreDispatch to the ledger's locks and those named in the packet. */
export async function judgeDispatch(engine: Engine, packet: Packet): Promise<Judged> {
  const { ledger, world } = engine;
  const { key } = packet.name;
  const fence = await ledger.fence();
  const given = { active_locks: [], ...packet.document, task_id: key };
  const facts = factsOf(given, world);
  const entries = [...lockEntries(facts), ...worklogEntries(facts)];
  const near = await ledger.locksNear(entries.flatMap(({ shapes }) => shapes.map(literalPrefix)));
  const ruled = await decide(rules, withLocks(facts, near));
  const busy = ruled.allow ? await findBusyResource(engine, packet) : undefined;
  const verdict = busy ?? ruled;
  const conflict = verdict.details?.conflict_task_id;
  const isOurs = busy !== undefined || near.some(({ task }) => task === conflict);
  return {
    verdict,
    fence,
    conflict: typeof conflict === "string" && isOurs ? conflict : undefined,
    entries,
    uses: packet.uses,
    timeoutSeconds: packet.assignment.timeout_seconds ?? Number.NaN,
    worklogBytes: worklogBytes(engine, packet.assignment.worklog_path ?? ""),
    previous: await ledger.attempt(key),
  };
}

/** An unreadable lock table in the packet stays as given: a rule refuses it with its own code. */
function withLocks(facts: DispatchFacts, held: readonly Lock[]): DispatchFacts {
  const { activeLocks } = facts;
  if (activeLocks === undefined || "error" in activeLocks) return facts;
  const locks = held.map(({ task, resource, shapes }) => ({
    taskId: task,
    entry: entryFrom(resource, shapes),
    active: true,
  }));
  return { ...facts, activeLocks: { locks: [...activeLocks.locks, ...locks] } };
}

async function findBusyResource(
  { ledger, limits }: Engine,
  { name, uses }: Packet,
): Promise<Deny | undefined> {
  if (uses.length === 0) return undefined;
  const held = (await ledger.locksOnResources(uses)).filter(({ task }) => task !== name.key);
  for (const resource of uses) {
    const holders = new Set(held.filter((lock) => lock.resource === resource).map(({ task }) => task));
    const [first] = holders;
    const limit = Object.hasOwn(limits.resources, resource) ? (limits.resources[resource] ?? 1) : 1;
    if (first === undefined || holders.size < limit) continue;
    return deny("R-PD-003", `\`${resource}\` is in use by task \`${first}\`: wait until it is released`, {
      task_id: name.key,
      resource,
      conflict_task_id: first,
      conflict_resource: resource,
    });
  }
  return undefined;
}

function worklogBytes({ world }: Engine, path: string): number {
  const [spelled] = spellingsOf(path, world);
  return spelled?.where === "inside" ? world.disk.sizeOf(spelled.absolute) : 0;
}
