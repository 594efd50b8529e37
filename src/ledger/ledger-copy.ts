import type { Session } from "../core/session/session.ts";
import type { Task } from "../core/tasks/task.ts";
import { beginning, canonicalJson, link, type Tail } from "./event-chain.ts";
import type { Answered, Attempt, Decision, Intent, LedgerEvent, Lock, Role, StoredRun } from "./ledger.ts";

/** Everything that a ledger stores, independent of its engine. */
export interface LedgerCopy {
  readonly secret: string;
  readonly fence: number;
  readonly commits: number;
  /** In order. */
  readonly events: readonly LedgerEvent[];
  readonly tasks: readonly Task[];
  readonly attempts: readonly Attempt[];
  readonly decisions: readonly Decision[];
  readonly sessions: readonly Session[];
  readonly roles: readonly Role[];
  /** Released ones too. */
  readonly locks: readonly Lock[];
  /** Those that are done too. */
  readonly intents: readonly (Intent & { readonly done: boolean })[];
  readonly settings: readonly (readonly [key: string, value: unknown])[];
  readonly requests: readonly (readonly [key: string, answered: Answered])[];
  readonly evidence: readonly StoredRun[];
}

/** The first difference between two copies, or what is wrong with the chain of the first one. */
export function differenceOf(one: LedgerCopy, other: LedgerCopy): string | undefined {
  let tail: Tail = beginning;
  for (const event of one.events) {
    if (event.seq !== tail.seq + 1 || link(tail, event).hash !== event.hash)
      return `event ${tail.seq + 1} does not follow from the one before`;
    tail = event;
    const copied = other.events[event.seq - 1];
    if (copied === undefined || canonicalJson(copied) !== canonicalJson(event))
      return `event ${event.seq} differs`;
  }
  if (other.events.length !== one.events.length) return "there are more events than were copied";
  const names = Object.keys(one) as (keyof LedgerCopy)[];
  const different = names.find((name) => canonicalJson(one[name]) !== canonicalJson(other[name]));
  return different === undefined ? undefined : `${different} differ`;
}
