import { expandGlob, linksBelow } from "../paths/expand-glob.ts";
import { type Located, locate, resolveDots } from "../paths/locate.ts";
import type { Disk } from "../paths/place.ts";
import { protectedEntryOf, protectedHomeEntryOf } from "../paths/protected-paths.ts";
import { Scope } from "../paths/scope.ts";
import { isScratch, type Scratch } from "../paths/scratch.ts";
import { findForbidden, findOutside, spellingsOf, type WriteLimits } from "../points/judge-write.ts";
import type { RuleCode } from "../rules/catalog.ts";
import { mentionedPaths } from "./mentioned-paths.ts";
import type { Mention, ShellAnalysis, ShellWrite } from "./types.ts";
import { projectPath, type Target, targetsOf } from "./write-targets.ts";

/** What a caller with a task may do in a shell. */
export interface CommandLimits extends WriteLimits {
  /** What other tasks hold. */
  readonly others: Pick<Scope, "entryOf" | "holdsBelow">;
  readonly scratch: Scratch["scratch"];
  readonly closed?: readonly string[];
  /** Output that git ignores: a program in the sandbox may write it, and so may a command. */
  readonly output?: Scope;
}

export interface Objection {
  readonly code: RuleCode;
  readonly reason: string;
  readonly path?: string;
}

const devices: ReadonlySet<string> = new Set(["/dev/null", "/dev/tty", "/dev/zero", "/dev/full"]);

/** Everything about a command that its caller is not allowed; empty means that it may run. */
export function judgeCommand(analysis: ShellAnalysis, limits: CommandLimits): readonly Objection[] {
  return [
    ...analysis.refusals.map(({ why }): Objection => ({ code: "R-PW-002", reason: why })),
    ...analysis.writes.flatMap((write) => objectToWrite(write, limits)),
    ...objectToNewLinks(analysis.writes, limits),
    ...analysis.mentions.flatMap((mention) => objectToMention(mention, limits)),
  ];
}

function objectToWrite(write: ShellWrite, limits: CommandLimits): readonly Objection[] {
  return targetsOf(write, limits.place).flatMap((target) => {
    const objections = objectToTarget(target, write, limits);
    const { output } = limits;
    if (objections.length === 0 || output === undefined || !isPlain(target, write, limits)) return objections;
    return objectToTarget(target, write, { ...limits, lock: output }).length === 0 ? [] : objections;
  });
}

/**
 * Output is full of links, those of workspaces for example, and any program of an agent may have made them. So only
 * what is named there is open, not what a program finds below it; and what is deleted, because that follows no link.
 */
function isPlain(target: Target, { action }: ShellWrite, { disk }: CommandLimits): boolean {
  const removes = action === "delete" || action === "move";
  if (target.kind === "glob") return action === "delete" && /^[^*?[]*\/[^/]+$/.test(target.pattern);
  if (target.kind !== "path" || target.printed === true) return false;
  return removes || (!target.tree && (action === "folder" || disk.kindOf(target.path) !== "folder"));
}

/** A link made by the command itself is not there yet to be resolved: nothing may be written through it. */
function objectToNewLinks(writes: readonly ShellWrite[], limits: CommandLimits): readonly Objection[] {
  const links = writes
    .filter((write) => write.action === "link")
    .flatMap((write) => targetsOf(write, limits.place))
    .flatMap((target) => (target.kind === "path" ? [resolveDots(target.path)] : []));
  if (links.length === 0) return [];
  return writes
    .filter((write) => write.action !== "link")
    .flatMap((write) => targetsOf(write, limits.place).map((target) => ({ write, target })))
    .filter(({ write, target }) => links.some((link) => goesThrough(target, link, { write, limits })))
    .map(({ write }) => ({
      code: "R-PW-001",
      reason: `${write.by} may write through a link that the same command makes: make it in a command of its own`,
    }));
}

/** Deleting the link itself is no way through it. */
function goesThrough(
  target: Target,
  link: string,
  { write, limits }: { write: ShellWrite; limits: CommandLimits },
): boolean {
  if (target.kind === "glob") {
    const located = locate(link, limits.place);
    const scope = new Scope([target.entry], limits.place);
    return located.where === "inside" && scope.touchingTree(located.path) !== undefined;
  }
  if (target.kind !== "path") return false;
  const path = resolveDots(target.path);
  if (path.startsWith(`${link}/`) || (target.links !== undefined && link.startsWith(`${path}/`))) return true;
  return path === link && write.action !== "delete";
}

function objectToTarget(target: Target, write: ShellWrite, limits: CommandLimits): readonly Objection[] {
  switch (target.kind) {
    case "nowhere":
      return [];
    case "unresolved": {
      const reason = `${write.by} writes to \`${target.text}\`, which cannot be known before it runs: spell the path out`;
      return [{ code: "R-PW-001", reason }];
    }
    case "outside":
      return isScratch(target.path, limits) ? [] : [outside(write.by, target.path, limits)];
    case "glob":
      return objectToGlob(target, write, limits);
    case "path":
      return objectToPath(target, write, limits);
  }
}

type GlobTarget = Extract<Target, { kind: "glob" }>;
type PathTarget = Extract<Target, { kind: "path" }>;

/** What the pattern could stand for, and what it stands for now, links resolved. */
function objectToGlob(target: GlobTarget, write: ShellWrite, limits: CommandLimits): readonly Objection[] {
  const shown = projectPath(target.pattern, limits.place);
  const forbidden = limits.forbidden.touching(target.entry) ?? protectedIn(target.entry.text);
  if (forbidden !== undefined) {
    const reason = `${write.by} writes to \`${shown}\`, which may lie in \`${forbidden}\`: name the files`;
    return [{ code: "R-PW-002", reason }];
  }
  if (!limits.lock.holds(target.entry)) return [outside(write.by, target.pattern, limits)];
  const paths = [...expandGlob(target.pattern, limits.disk), ...namesBehindLinks(target, write, limits)];
  return paths.flatMap((path) => objectToPath({ kind: "path", path, tree: write.tree }, write, limits));
}

/** A pattern that nothing matches may be written all the same, as it is spelled: also where a link leads out. */
function namesBehindLinks(
  { pattern }: GlobTarget,
  { action }: ShellWrite,
  limits: CommandLimits,
): readonly string[] {
  if (action === "delete" || action === "move") return [];
  const slash = pattern.lastIndexOf("/");
  return expandGlob(pattern.slice(0, slash), limits.disk)
    .filter((folder) => spellingsOf(folder, limits).length > 1)
    .map((folder) => folder + pattern.slice(slash));
}

function objectToPath(target: PathTarget, write: ShellWrite, limits: CommandLimits): readonly Objection[] {
  const { path } = target;
  if (devices.has(path) || isScratch(path, limits)) return [];
  const kind = limits.disk.kindOf(path);
  const removes = write.action === "delete" || write.action === "move";
  const wholeTree = target.tree && kind !== "file";
  // A file put into a folder, or a folder filled: the folder itself stays what it is.
  const onlyBelow = target.printed === true || (!removes && (kind === "folder" || path.endsWith("/")));
  const shown = projectPath(path, limits.place);
  const asked = { resource: path, wholeTree, onlyBelow, shown, sourcesOnly: write.sourcesOnly };
  // A link that is deleted is itself what goes, not what it leads to.
  const judged =
    write.action === "delete" && !path.endsWith("/")
      ? { ...limits, disk: keepingLinks(limits.disk) }
      : limits;
  const forbidden = findForbidden(asked, judged);
  if (forbidden !== undefined)
    return [{ code: "R-PW-002", reason: `${write.by}: ${forbidden.reason}`, path }];
  if (write.action === "folder" && leadsToLock(path, limits)) return [];
  const links = target.links === undefined || removes ? [] : linksOut(path, target.links, limits);
  if (links.length > 0) return links.map((link) => outside(write.by, link, limits));
  const found = findOutside(asked, judged);
  return found === undefined ? [] : [{ code: "R-PW-001", reason: `${write.by}: ${found.reason}`, path }];
}

function keepingLinks(disk: Disk): Disk {
  const realPath = (path: string) => {
    const at = path.lastIndexOf("/");
    return /(?:^|\/)\.\.?$/.test(path)
      ? disk.realPath(path)
      : `${disk.realPath(path.slice(0, at))}/${path.slice(at + 1)}`;
  };
  return { ...disk, realPath };
}

/** Links below the folder that lead out of the lock. */
function linksOut(folder: string, names: string, limits: CommandLimits): readonly string[] {
  return linksBelow(folder, names, limits.disk).filter(
    (link) => findOutside({ resource: link, wholeTree: false }, limits) !== undefined,
  );
}

/** Making the folders that lead to the lock changes nothing that is tracked. */
function leadsToLock(path: string, limits: CommandLimits): boolean {
  return spellingsOf(path, limits).every(
    (spelling) => spelling.where === "inside" && limits.lock.touchingTree(spelling.path) !== undefined,
  );
}

function objectToMention(mention: Mention, limits: CommandLimits): readonly Objection[] {
  const paths = mentionedPaths(mention, limits.place);
  if (paths === "too many")
    return [
      {
        code: "R-PW-002",
        reason: `${mention.by} is given more paths than can be looked at: run it with fewer`,
      },
    ];
  return paths.flatMap((path) => {
    const held = spellingsOf(path, limits)
      .map((spelling) => (spelling.where === "invalid" ? undefined : holderOf(spelling, limits)))
      .find((holder) => holder !== undefined);
    if (held === undefined) return [];
    const shown = projectPath(path, limits.place);
    const reason = `${mention.by} is given \`${shown}\`, which lies in \`${held}\`, and what it does with it is unknown: give it paths in your scope`;
    return [{ code: "R-PW-002", reason, path } as const];
  });
}

/** Whose a path is: another task's, with all that lies below it, or nobody's to write. */
function holderOf(
  { where, path }: Exclude<Located, { where: "invalid" }>,
  { others, session, place }: CommandLimits,
): string | undefined {
  if (where === "outside") return protectedHomeEntryOf(path, place.home);
  if (path === "") return undefined;
  const held = others.entryOf(path) ?? (others.holdsBelow(path) ? `${path}/**` : undefined);
  return held ?? protectedEntryOf(path, { tree: false, session, more: place.gitFolders });
}

function protectedIn(pattern: string): string | undefined {
  const fixed = pattern.split("/").filter((segment) => !/[*?[{]/.test(segment));
  return protectedEntryOf(fixed.join("/"), { tree: false });
}

function outside(by: string, path: string, { place }: CommandLimits): Objection {
  const shown = projectPath(path, place);
  return { code: "R-PW-001", reason: `${by}: \`${shown}\` lies outside the lock scope`, path };
}
