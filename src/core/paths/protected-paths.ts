import { sessionsFolder } from "../names/session-paths.ts";
import type { Shape } from "./entry.ts";
import { foldProtected } from "./fold.ts";
import { literalPrefix } from "./stored-shape.ts";

/** Never writable by any agent, regardless of its lock. Relative to the project root. */
export const protectedPaths = [
  ".git",
  ".lockstep",
  ".claude",
  ".codex",
  ".gemini",
  ".cursor",
  ".opencode",
  ".github/hooks",
  ".mcp.json",
] as const;

/** Settings of clients and git, relative to the home folder. */
const protectedHomePaths = [
  ".claude",
  ".claude.json",
  ".codex",
  ".gemini",
  ".cursor",
  ".copilot",
  ".config/opencode",
  ".config/github-copilot",
  ".config/git",
  ".gitconfig",
] as const;

/** The protected entry of the home folder that contains an absolute path. */
export function protectedHomeEntryOf(absolute: string, home: string | undefined): string | undefined {
  if (home === undefined) return undefined;
  const folded = foldProtected(absolute);
  const entry = protectedHomePaths.find((path) => isAtOrBelow(folded, foldProtected(`${home}/${path}`)));
  return entry === undefined ? undefined : `~/${entry}`;
}

interface ProtectedOptions {
  /** True if everything below the path is included. */
  readonly tree: boolean;
  readonly session?: string | undefined;
  /** Further folders: git folders with other names. */
  readonly more?: readonly string[] | undefined;
}

/**
 * The protected entry that contains a path, or that is below it if the whole tree is included. A nested repository
 * has its own `.git`, so that name is protected at any depth.
 */
export function protectedEntryOf(path: string, options: ProtectedOptions): string | undefined {
  const folded = foldProtected(path);
  for (const entry of [...protectedPaths, ...(options.more ?? [])]) {
    if (isAtOrBelow(folded, entry)) return entry;
    if (options.tree && isAtOrBelow(entry, folded)) return entry;
  }
  if (folded.split("/").includes(".git")) return ".git";
  return otherSessionOf(folded, options.session);
}

/** The protected entry that contains every path of this shape. */
export function protectedShapeOf(shape: Shape, options: Omit<ProtectedOptions, "tree">): string | undefined {
  if (shape.segments.some((segment) => typeof segment === "string" && foldProtected(segment) === ".git"))
    return ".git";
  const path = literalPrefix(shape);
  return path === "" ? undefined : protectedEntryOf(path, { ...options, tree: false });
}

function otherSessionOf(folded: string, session: string | undefined): string | undefined {
  if (session === undefined) return undefined;
  const [folder, name] = folded.split("/");
  if (folder !== sessionsFolder || name === undefined || name === foldProtected(session)) return undefined;
  return `${sessionsFolder}/${name}`;
}

function isAtOrBelow(path: string, folder: string): boolean {
  return folder === "" || path === folder || path.startsWith(`${folder}/`);
}
