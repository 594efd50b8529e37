import type { ToolCall } from "../../contract/tool-call.ts";
import { isOver, lastMs } from "../../core/leases/lease.ts";
import { sessionPath, viewFiles } from "../../core/names/session-paths.ts";
import { plainEntry } from "../../core/paths/entry.ts";
import type { Disk, Place } from "../../core/paths/place.ts";
import { readEntries, Scope } from "../../core/paths/scope.ts";
import { entryFrom } from "../../core/paths/stored-shape.ts";
import type { CommandLimits } from "../../core/shell/judge-command.ts";
import type { GuardFacts, Holder } from "../../engine/views/guard-facts.ts";
import type { GuardSettings, GuardWorld } from "../world/guard-world.ts";

interface Asking {
  readonly call: Pick<ToolCall, "folder">;
  readonly world: Pick<GuardWorld, "place" | "checkout" | "disk" | "scratch" | "closed" | "clock">;
  readonly facts: GuardFacts;
  readonly settings: Pick<GuardSettings, "protectedPaths">;
}

/** What a caller with a task may write. In an attempt's own checkout, paths are relative to that checkout. */
export function limitsOf(holder: Holder, asking: Asking): CommandLimits {
  const { world } = asking;
  const place = placeOf(asking);
  const { session } = holder;
  const requests =
    world.checkout === undefined || session === null
      ? []
      : viewFiles.map((name) => plainEntry(sessionPath(session, name), place));
  const extra = entries(asking.settings.protectedPaths, place);
  const lock = new Scope([...entriesOf([holder]), ...requests], place);
  return {
    ...surroundings(asking, place),
    lock,
    forbidden: new Scope([...entries(holder.forbidden, place, world.disk), ...extra], place),
    others: othersBeside(lock, heldBy(asking), new Scope(extra, place)),
    ...(holder.session === null ? {} : { session: holder.session }),
  };
}

/**
 * What a caller without a task may write: nothing in the project (`deny`), or everything that no task holds (`locked`).
 */
export function limitsWithoutTask(asking: Asking, unclaimed: "deny" | "locked"): CommandLimits {
  const place = placeOf(asking);
  const extra = new Scope(entries(asking.settings.protectedPaths, place), place);
  const none = new Scope([], place);
  const held = heldBy(asking);
  return {
    ...surroundings(asking, place),
    lock: unclaimed === "deny" ? none : new Scope([plainEntry("", place)], place),
    forbidden: unclaimed === "deny" ? extra : held,
    others: othersBeside(none, held, extra),
  };
}

/** Live leases never overlap (INV-1), so a path in the caller's own lock belongs to no other task. */
function othersBeside(own: Scope, held: Scope, extra: Scope): CommandLimits["others"] {
  return {
    entryOf: (path) =>
      extra.entryOf(path) ?? (own.entryOf(path) === undefined ? held.entryOf(path) : undefined),
    holdsBelow: (path) => extra.holdsBelow(path) || (!own.holdsBelow(path) && held.holdsBelow(path)),
  };
}

function surroundings({ world }: Asking, place: Place) {
  return { place, disk: world.disk, scratch: world.scratch, closed: world.closed };
}

function placeOf({ call, world: { place, checkout } }: Asking): Place {
  if (checkout === undefined) return { ...place, cwd: call.folder };
  const { home, folds } = place;
  return {
    root: checkout,
    cwd: call.folder,
    ...(home === undefined ? {} : { home }),
    ...(folds === undefined ? {} : { folds }),
  };
}

const known = new WeakMap<GuardFacts, { readonly scope: Scope; readonly untilMs: number }>();

/**
 * The scope held by all live tasks. Cached by facts, because the server asks repeatedly with the same facts and there
 * may be many locks.
 */
function heldBy({ facts, world: { clock, place } }: Asking): Scope {
  const now = clock.now();
  const before = known.get(facts);
  if (before !== undefined && now.monoMs <= before.untilMs) return before.scope;
  // An expired lease holds nothing, even if its locks are still in the ledger.
  const live = facts.holders.filter((holder) => !isOver(holder, now));
  const scope = new Scope(entriesOf(live), place);
  known.set(facts, { scope, untilMs: firstEndMs(live) });
  return scope;
}

/** The scope of the given locks. */
export function scopeOf(locks: Holder["locks"], asking: Asking): Scope {
  const held = locks.map(({ resource, shapes }) => entryFrom(resource, shapes));
  return new Scope(held, placeOf(asking));
}

/** When the next lease expires. A lease whose clock is not running never does. */
function firstEndMs(holders: readonly Holder[]): number {
  let firstMs = Infinity;
  for (const { leaseState, lease } of holders)
    if (leaseState === "running") firstMs = Math.min(firstMs, lastMs(lease));
  return firstMs;
}

function entriesOf(holders: readonly Holder[]) {
  return holders.flatMap(({ locks }) => locks.map(({ resource, shapes }) => entryFrom(resource, shapes)));
}

/**
 * Entries of the configuration and of assignments were validated when they were accepted, so an error here is a defect.
 */
function entries(texts: readonly string[], place: Place, disk?: Disk) {
  const read = readEntries(texts, place, disk);
  if ("entries" in read) return read.entries;
  throw new Error(
    `\`${texts[read.index]}\` cannot be used as a forbidden or protected path: ${read.error}; correct the entry`,
  );
}
