import type { ToolCall } from "../../contract/tool-call.ts";
import { callName } from "../world/call-file.ts";
import type { Changed, GuardSettings, GuardWorld, Remembering } from "../world/guard-world.ts";

type World = Pick<GuardWorld, "checkout" | "place" | "trees">;

/** The tree that a call works in: its attempt's checkout, or the linked or main worktree around its folder. */
export function treeOf({ folder }: Pick<ToolCall, "folder">, { checkout, place }: World): string {
  if (checkout !== undefined) return checkout;
  const own = place.realRoot ?? place.root;
  const around = [own, ...(place.checkouts ?? [])].filter((tree) => `${folder}/`.startsWith(`${tree}/`));
  return around.toSorted((one, other) => other.length - one.length)[0] ?? own;
}

/** Records the tree before something that may write anywhere. */
export async function rememberTree(name: string, call: ToolCall, world: World): Promise<void> {
  await world.trees?.remember(name, treeOf(call, world));
}

/** Records the tree before one call. */
export async function rememberCall(call: ToolCall, world: World, how: Remembering): Promise<void> {
  await world.trees?.remember(callName(call), treeOf(call, world), how);
}

/** The tree of an unknown tool is compared afterwards, whatever its arguments are called. */
export function isUnknownWriter({ operation }: Pick<ToolCall, "operation">): boolean {
  return operation.kind === "shell"
    ? operation.typed === true
    : operation.kind === "unknown" && !operation.reads;
}

/** What has changed since, without the guard's own files in the project; undefined if nothing was recorded. */
export async function changedSince(
  name: string,
  { trees }: World,
  { root }: Pick<GuardSettings, "root">,
): Promise<Changed | undefined> {
  const changed = await trees?.compare(name);
  if (changed === undefined || root === null) return changed;
  return { ...changed, paths: changed.paths.filter((path) => !path.startsWith(`${root}/`)) };
}
