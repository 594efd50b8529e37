import { type Located, locate, locateReal } from "../paths/locate.ts";
import type { Disk, Place } from "../paths/place.ts";
import { protectedEntryOf, protectedHomeEntryOf } from "../paths/protected-paths.ts";
import type { Scope } from "../paths/scope.ts";
import type { Finding } from "../rules/rule.ts";

/** What a task may write. */
export interface WriteLimits {
  readonly place: Place;
  readonly disk: Disk;
  readonly lock: Scope;
  readonly forbidden: Scope;
  /** The session that the task belongs to; other sessions' folders are closed. */
  readonly session?: string | undefined;
}

export interface WriteTarget {
  readonly resource: string;
  /** Set for deleting or moving a folder, which writes everything below it. */
  readonly wholeTree: boolean;
  /** The target no longer exists and may have been a folder: forbidden entries below it count. */
  readonly maybeTree?: boolean;
  /** Only what is below the folder is written; the folder itself stays. */
  readonly onlyBelow?: boolean;
  /** Protected folders inside the tree are left alone. */
  readonly sourcesOnly?: boolean;
  /** The spelling for messages, if it differs from `resource`. */
  readonly shown?: string;
}

/** Both spellings of a target: as written, and with links resolved. Both must be allowed. */
export function spellingsOf(resource: string, limits: Pick<WriteLimits, "place" | "disk">): Located[] {
  const spelled = locate(resource, limits.place);
  if (spelled.where !== "inside") return [spelled];
  const real = locateReal(limits.disk.realPath(spelled.absolute), limits.place);
  return real.where === "inside" && real.path === spelled.path ? [spelled] : [spelled, real];
}

/** R-PW-002: forbidden or protected, in either spelling. */
export function findForbidden(target: WriteTarget, limits: WriteLimits): Finding | undefined {
  for (const spelling of spellingsOf(target.resource, limits)) {
    if (spelling.where === "invalid") continue;
    const { entry, why } =
      spelling.where === "inside"
        ? forbiddenEntry(spelling.path, target, limits)
        : { entry: protectedHomeEntryOf(spelling.path, limits.place.home), why: protectedWhy };
    if (entry === undefined) continue;
    const reason = holds(spelling.path, entry)
      ? `${spelling.path === "" ? "the whole project" : `\`${shown(target)}\``} must not be written as a whole, because it contains \`${entry}\`: name the files or folders in your scope`
      : `\`${shown(target)}\` must not be written: ${entry === shown(target) ? why : `it lies in \`${entry}\``}`;
    return { reason, details: { resource: target.resource, path: spelling.path, forbidden_scope: entry } };
  }
  return undefined;
}

/** R-PW-001 and R-PO-002: outside the lock in either spelling. */
export function findOutside(target: WriteTarget, limits: WriteLimits): Finding | undefined {
  for (const spelling of spellingsOf(target.resource, limits)) {
    const why = whyOutside(spelling, target, limits);
    if (why === undefined) continue;
    const path = spelling.where === "invalid" ? target.resource : spelling.path;
    return { reason: `\`${shown(target)}\` ${why}`, details: { resource: target.resource, path } };
  }
  return undefined;
}

const protectedWhy = "it is protected";

function forbiddenEntry(path: string, target: WriteTarget, limits: WriteLimits) {
  const tree = target.wholeTree || target.maybeTree === true;
  const guarded = protectedEntryOf(path, {
    tree: tree && target.sourcesOnly !== true,
    session: limits.session,
    more: limits.place.gitFolders,
  });
  if (guarded !== undefined) return { entry: guarded, why: protectedWhy };
  const entry = tree ? limits.forbidden.touchingTree(path) : limits.forbidden.entryOf(path);
  return { entry, why: "the assignment of this task forbids it" };
}

function whyOutside(spelling: Located, target: WriteTarget, limits: WriteLimits): string | undefined {
  if (spelling.where === "invalid") return `is not a valid path: ${spelling.why}`;
  if (spelling.where === "outside")
    return `lies outside the project${spelling.path === shown(target) ? "" : `, at \`${spelling.path}\``}`;
  if (isHeld(spelling.path, target, limits.lock)) return undefined;
  return spelling.path === shown(target)
    ? "lies outside the lock scope"
    : `lies outside the lock scope, at \`${spelling.path}\``;
}

function isHeld(path: string, target: WriteTarget, lock: Scope): boolean {
  if (target.onlyBelow === true) return lock.holdsBelow(path) || lock.holdsTree(path);
  return target.wholeTree ? lock.holdsTree(path) : lock.entryOf(path) !== undefined;
}

function shown(target: WriteTarget): string {
  return target.shown ?? target.resource;
}

function holds(path: string, entry: string): boolean {
  return path === "" || entry.startsWith(`${path}/`);
}
