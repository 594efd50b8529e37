import { failure, type HookContext, type HookResult, skip, success } from "./hook.ts";
import type { HookPorts } from "./hook-ports.ts";

const filesShownMax = 50;

/** Puts the branch on top of its base, whatever that is called. */
export async function rebaseOnMain(
  context: HookContext,
  { rebase }: Pick<HookPorts, "rebase">,
): Promise<HookResult> {
  const { base_branch: base, branch_name: branch } = context;
  const rebased = await rebase(base);
  if ("error" in rebased) return failure(`\`${branch}\` cannot be rebased on \`${base}\`: ${rebased.error}`);
  const told = { base_commit: rebased.onto };
  if (rebased.how === "up-to-date") return skip(`\`${branch}\` is up to date with \`${base}\``, told);
  if (rebased.how === "rebased") return success(`rebased on \`${base}\``, told);
  const { files } = rebased;
  const named = files.slice(0, filesShownMax).map((file) => JSON.stringify(file));
  return failure(`the rebase on \`${base}\` conflicts in ${named.join(", ")}`, {
    context: { ...told, conflicts: files },
    prompt: conflictPrompt(context, named, files.length - named.length),
  });
}

/** No git is asked for: agents may not rewrite branches, and some cannot run it at all. */
function conflictPrompt(
  { base_branch, worktree }: HookContext,
  named: readonly string[],
  left: number,
): string {
  const more = left > 0 ? [`- and ${left} more: look for \`<<<<<<<\``] : [];
  return [
    `Your work conflicts with \`${base_branch}\`, which went on meanwhile. The newer \`${base_branch}\` is in your tree ${worktree} now, together with your work; only in these files the two do not go together:`,
    ...named.map((file) => `- ${file}`),
    ...more,
    "",
    `1. Each of them holds both sides between conflict markers, first that of \`${base_branch}\`, then yours. Keep what both want, and leave no markers.`,
    "2. One without markers was deleted or replaced on one side: decide which it is to be.",
    "3. Run the tests that concern them.",
    "",
    "Change nothing else; you need not commit.",
  ].join("\n");
}
