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

/** The limits of a caller with a task for shell commands. */
export interface CommandLimits extends WriteLimits {
  /** Scopes that other tasks hold. */
  readonly others: Pick<Scope, "entryOf" | "holdsBelow">;
  readonly scratch: Scratch["scratch"];
  readonly closed?: readonly string[];
  /** Output that git ignores. Programs in the sandbox may write it, and so may a command. */
  readonly output?: Scope;
}

export interface Objection {
  readonly code: RuleCode;
  readonly reason: string;
  readonly path?: string;
}

const devices: ReadonlySet<string> = new Set(["/dev/null", "/dev/tty", "/dev/zero", "/dev/full"]);

/** Everything in a command that its caller is not allowed to do; empty means that the command may run. */
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
 * Output folders contain many links, for example those of workspaces, and any program of an agent may have made them.
 * So only paths that the command names are open there, not those that a program finds below them. Deleting is open
 * too, because it follows no link.
 */
function isPlain(target: Target, { action }: ShellWrite, { disk }: CommandLimits): boolean {
  const removes = action === "delete" || action === "move";
  if (target.kind === "glob") return action === "delete" && /^[^*?[]*\/[^/]+$/.test(target.pattern);
  if (target.kind !== "path" || target.printed === true) return false;
  return removes || (!target.tree && (action === "folder" || disk.kindOf(target.path) !== "folder"));
}

/**
 * A link that the command itself makes does not exist yet and cannot be resolved, so nothing may be written through
 * it.
 */
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
      reason: `${write.by} may write through a link that the same command makes: make the link in a separate command`,
    }));
}

/** Deleting the link itself does not write through it. */
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
      const reason = `${write.by} writes to \`${target.text}\`, which is not known before it runs: write the path out`;
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

/** Checks the paths that the pattern could match, and those that it matches now, with links resolved. */
function objectToGlob(target: GlobTarget, write: ShellWrite, limits: CommandLimits): readonly Objection[] {
  const shown = projectPath(target.pattern, limits.place);
  const forbidden = limits.forbidden.touching(target.entry) ?? protectedIn(target.entry.text);
  if (forbidden !== undefined) {
    const reason = `${write.by} writes to \`${shown}\`, which may be in \`${forbidden}\`: name the files`;
    return [{ code: "R-PW-002", reason }];
  }
  if (!limits.lock.holds(target.entry)) return [outside(write.by, target.pattern, limits)];
  const paths = [...expandGlob(target.pattern, limits.disk), ...namesBehindLinks(target, write, limits)];
  return paths.flatMap((path) => objectToPath({ kind: "path", path, tree: write.tree }, write, limits));
}

/** If nothing matches the pattern, the shell uses it as a literal name, which may also lead out through a link. */
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
  // Writing a file into a folder, or filling a folder, does not change the folder itself.
  const onlyBelow = target.printed === true || (!removes && (kind === "folder" || path.endsWith("/")));
  const shown = projectPath(path, limits.place);
  const request = { resource: path, wholeTree, onlyBelow, shown, sourcesOnly: write.sourcesOnly };
  // Deleting a link removes the link, not its target.
  const judged =
    write.action === "delete" && !path.endsWith("/")
      ? { ...limits, disk: keepingLinks(limits.disk) }
      : limits;
  const forbidden = findForbidden(request, judged);
  if (forbidden !== undefined)
    return [{ code: "R-PW-002", reason: `${write.by}: ${forbidden.reason}`, path }];
  if (write.action === "folder" && leadsToLock(path, limits)) return [];
  const links = target.links === undefined || removes ? [] : linksOut(path, target.links, limits);
  if (links.length > 0) return links.map((link) => outside(write.by, link, limits));
  const found = findOutside(request, judged);
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

/** Making the folders that lead to the lock changes no tracked file. */
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
        reason: `${mention.by} gets more paths than can be checked: run it with fewer paths`,
      },
    ];
  return paths.flatMap((path) => {
    const held = spellingsOf(path, limits)
      .map((spelling) => (spelling.where === "invalid" ? undefined : holderOf(spelling, limits)))
      .find((holder) => holder !== undefined);
    if (held === undefined) return [];
    const shown = projectPath(path, limits.place);
    const reason = `${mention.by} gets \`${shown}\`, which is in \`${held}\`, and its effect on that path is unknown: pass only paths in your scope`;
    return [{ code: "R-PW-002", reason, path } as const];
  });
}

/** The entry that closes a path to this caller: another task's, also for a folder above it, or a protected one. */
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
