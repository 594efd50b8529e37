import { failure, type HookContext, type HookResult, skip, success } from "./hook.ts";
import type { HookPorts } from "./hook-ports.ts";

const filesShownMax = 50;

/** Rebases the branch onto its base branch, whatever its name is. */
export async function rebaseOnMain(
  context: HookContext,
  { rebase }: Pick<HookPorts, "rebase">,
): Promise<HookResult> {
  const { base_branch: base, branch_name: branch } = context;
  const rebased = await rebase(base);
  if ("error" in rebased) return failure(`\`${branch}\` cannot be rebased on \`${base}\`: ${rebased.error}`);
  const onto = { base_commit: rebased.onto };
  if (rebased.how === "up-to-date") return skip(`\`${branch}\` is up to date with \`${base}\``, onto);
  if (rebased.how === "rebased") return success(`rebased on \`${base}\``, onto);
  const { files } = rebased;
  const named = files.slice(0, filesShownMax).map((file) => JSON.stringify(file));
  return failure(`the rebase on \`${base}\` conflicts in ${named.join(", ")}`, {
    context: { ...onto, conflicts: files },
    prompt: conflictPrompt(context, named, files.length - named.length),
  });
}

/** The prompt does not ask for git commands: agents may not rewrite branches, and some cannot run git. */
function conflictPrompt(
  { base_branch, worktree }: HookContext,
  named: readonly string[],
  left: number,
): string {
  const more = left > 0 ? [`- and ${left} more: look for \`<<<<<<<\``] : [];
  return [
    `Your work conflicts with newer commits on \`${base_branch}\`. Your tree ${worktree} now contains the newer \`${base_branch}\` together with your work. Only these files conflict:`,
    ...named.map((file) => `- ${file}`),
    ...more,
    "",
    `1. Each file contains both sides between conflict markers: first \`${base_branch}\`, then yours. Keep the intent of both sides, and remove all markers.`,
    "2. A file without markers was deleted or replaced on one side: decide which side is right.",
    "3. Run the tests for these files.",
    "",
    "Change nothing else. You do not need to commit.",
  ].join("\n");
}
