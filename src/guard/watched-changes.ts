import type { GuardSettings, GuardWorld } from "./guard-world.ts";
import type { ToolCall } from "./tool-call.ts";

type World = Pick<GuardWorld, "checkout" | "place" | "trees">;

/** The tree that a call works in: its attempt's checkout, the linked worktree that it is in, or the main one. */
export function treeOf({ folder }: Pick<ToolCall, "folder">, { checkout, place }: World): string {
  if (checkout !== undefined) return checkout;
  const linked = (place.checkouts ?? []).filter((tree) => folder === tree || folder.startsWith(`${tree}/`));
  return linked.toSorted((one, other) => other.length - one.length)[0] ?? place.realRoot ?? place.root;
}

/** Before something that may write anything. */
export async function rememberTree(name: string, call: ToolCall, world: World): Promise<void> {
  await world.trees?.remember(name, treeOf(call, world));
}

/** What has changed since, but for what the guard itself writes in the project; undefined where that is not known. */
export async function changedSince(
  name: string,
  { trees }: World,
  { root }: Pick<GuardSettings, "root">,
): Promise<readonly string[] | undefined> {
  const changed = await trees?.compare(name);
  return root === null ? changed : changed?.filter((path) => !path.startsWith(`${root}/`));
}
