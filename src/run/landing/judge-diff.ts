import { readEntries, Scope } from "../../core/paths/scope.ts";
import { findForbidden, findOutside } from "../../core/points/judge-write.ts";
import type { Ports } from "../../core/points/ports.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import type { ChangedPath } from "../../workspace/git/read-diff.ts";

export interface DiffLimits {
  readonly scope: readonly string[];
  readonly forbidden: readonly string[];
  /** Whose folder below `.agents-work` it may change; all others are closed. */
  readonly session: string | null;
  /** Whose work it is: a task can ask for more. */
  readonly task?: string | null | undefined;
}

/** INV-6: a change is judged by the names in its tree, whatever links the working folder has. */
export function findOutsideScope(
  { place, disk }: Pick<Ports, "place" | "disk">,
  { scope, forbidden, session, task }: DiffLimits,
  diff: readonly ChangedPath[],
): Deny | undefined {
  const lock = readEntries(scope, place);
  if ("error" in lock)
    return deny("R-PD-002", `\`${scope[lock.index]}\` is not a valid scope: ${lock.error}`);
  const carved = readEntries(forbidden, place);
  if ("error" in carved)
    return deny("R-PD-004", `\`${forbidden[carved.index]}\` is not a valid scope: ${carved.error}`);
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
      return deny("R-GT-001", `\`${path}\`: submodules are not supported yet, so none can come in`, { path });
    if (!utf8)
      return deny("R-PO-002", `the name \`${path}\` is not UTF-8, and lies in no scope: rename it`, { path });
    const target = { resource: path, wholeTree: false };
    const protectedPath = findForbidden(target, limits);
    if (protectedPath !== undefined) return deny("R-PW-002", protectedPath.reason, protectedPath.details);
    if (findOutside(target, limits) !== undefined) wrong.push(path);
  }
  const [first] = wrong;
  if (first === undefined) return undefined;
  const more = wrong.length > 1 ? ` and ${wrong.length - 1} more` : "";
  const way = task == null ? "name it with --scope" : `ask for it: \`lockstep widen ${task} PATH --why "…"\``;
  return deny(
    "R-PO-002",
    `the ${task == null ? "branch" : "work"} changes \`${first}\`${more} outside its scope: undo that, or ${way}`,
    { outside: wrong, scope },
  );
}
