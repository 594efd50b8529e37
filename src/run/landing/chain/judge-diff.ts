import { readEntries, Scope } from "../../../core/paths/scope.ts";
import { findForbidden, findOutside } from "../../../core/points/judge-write.ts";
import type { Ports } from "../../../core/points/ports.ts";
import { type Deny, deny } from "../../../core/rules/verdict.ts";
import type { ChangedPath } from "../../../workspace/git/read-diff.ts";

export interface DiffLimits {
  readonly scope: readonly string[];
  readonly forbidden: readonly string[];
  /** The session whose folder below `.agents-work` may be changed; the folders of other sessions may not. */
  readonly session: string | null;
  /** The task, which can ask for more scope; absent for a branch without a task. */
  readonly task?: string | null | undefined;
}

/** Judges a change by the path names in its tree and ignores symbolic links of the working folder (INV-6). */
export function findOutsideScope(
  { place, disk }: Pick<Ports, "place" | "disk">,
  { scope, forbidden, session, task }: DiffLimits,
  diff: readonly ChangedPath[],
): Deny | undefined {
  const lock = readEntries(scope, place);
  if ("error" in lock)
    return deny("R-PD-002", `\`${scope[lock.index]}\` is not a valid scope entry: ${lock.error}`);
  const carved = readEntries(forbidden, place);
  if ("error" in carved)
    return deny("R-PD-004", `\`${forbidden[carved.index]}\` is not a valid scope entry: ${carved.error}`);
  const limits = {
    place: { root: place.root, ...(place.folds === undefined ? {} : { folds: place.folds }) },
    disk: { ...disk, realPath: (path: string) => path },
    lock: new Scope(lock.entries, place),
    forbidden: new Scope(carved.entries, place),
    session: session ?? "",
  };
  const wrong: string[] = [];
  for (const { path, utf8, kind } of diff) {
    if (kind === "submodule" || path === ".gitmodules")
      return deny("R-GT-001", `\`${path}\`: submodules are not supported, so this change cannot be merged`, {
        path,
      });
    if (!utf8)
      return deny("R-PO-002", `the name \`${path}\` is not UTF-8, so no scope can contain it: rename it`, {
        path,
      });
    const target = { resource: path, wholeTree: false };
    const protectedPath = findForbidden(target, limits);
    if (protectedPath !== undefined) return deny("R-PW-002", protectedPath.reason, protectedPath.details);
    if (findOutside(target, limits) !== undefined) wrong.push(path);
  }
  const [first] = wrong;
  if (first === undefined) return undefined;
  const more = wrong.length > 1 ? ` and ${wrong.length - 1} more` : "";
  const next =
    task == null
      ? "add the path with --scope"
      : `ask for the path with \`lockstep widen ${task} PATH --why "…"\``;
  return deny(
    "R-PO-002",
    `the ${task == null ? "branch" : "work"} changes \`${first}\`${more} outside its scope: undo that change, or ${next}`,
    { outside: wrong, scope },
  );
}
