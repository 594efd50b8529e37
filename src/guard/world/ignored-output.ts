import { join, relative } from "node:path";
import { plainEntry } from "../../core/paths/entry.ts";
import { resolveDots } from "../../core/paths/locate.ts";
import type { Disk } from "../../core/paths/place.ts";
import { Scope } from "../../core/paths/scope.ts";
import type { CommandLimits, Objection } from "../../core/shell/judge-command.ts";
import { hooksFolder } from "../../workspace/git/active-hooks.ts";
import { splitAtZero } from "../../workspace/git/read-diff.ts";
import { tryGit } from "../../workspace/git/run-git.ts";
import { isSetting } from "./closed-paths.ts";

const pathsMax = 50;

/**
 * The paths among the objections that git ignores and that hold no tracked files: a program in the sandbox may write
 * these. Undefined if there are none. Excluded are paths that the sandbox closes too (`.env`, git hooks, other
 * checkouts) and paths that another task holds.
 */
export async function ignoredOutput(
  objections: readonly Objection[],
  tree: string,
  limits: Pick<CommandLimits, "place" | "disk" | "others">,
): Promise<Scope | undefined> {
  const { place, others } = limits;
  if (objections.some(({ code, path }) => code !== "R-PW-001" || path === undefined)) return undefined;
  const asked = [...new Set(objections.flatMap(({ path = "" }) => namesIn(tree, path, limits.disk)))];
  if (asked.length === 0 || asked.length > pathsMax) return undefined;
  const ignored = await tryGit(tree, ["check-ignore", "-z", "--stdin"], { input: asked.join("\0") });
  if (ignored.exit !== 0) return undefined;
  const hooks = relative(tree, await hooksFolder(tree, join(tree, ".git")));
  const open: string[] = [];
  for (const path of splitAtZero(ignored.stdout).map((name) => name.toString("utf8"))) {
    if (isSetting(path) || touches(path, hooks)) continue;
    if (others.entryOf(path) !== undefined || others.holdsBelow(path)) continue;
    const isCheckout = (place.checkouts ?? []).some(
      (one) => one !== tree && touches(path, relative(tree, one)),
    );
    if (!isCheckout && !(await holdsTracked(tree, path))) open.push(path);
  }
  return open.length === 0
    ? undefined
    : new Scope(
        open.map((path) => plainEntry(path, place)),
        place,
      );
}

/** The name of a path or pattern relative to the tree, as spelled and with links resolved. */
function namesIn(tree: string, path: string, disk: Disk): readonly string[] {
  const named = path.replace(/\/[^/]*[*?[].*$/, "");
  return [resolveDots(named), disk.realPath(named)]
    .filter((absolute) => absolute.startsWith(`${tree}/`))
    .map((absolute) => relative(tree, absolute));
}

/** True if the paths are the same, or one is inside the other. */
function touches(one: string, other: string): boolean {
  return `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);
}

async function holdsTracked(tree: string, path: string): Promise<boolean> {
  const { exit, stdout } = await tryGit(tree, ["ls-files", "-z", "--", `:(literal,icase)${path}`]);
  return exit !== 0 || stdout.length > 0;
}
