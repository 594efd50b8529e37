/** Used instead of a hook's name: git must be started by a fixed path, whatever hooks exist. */
export const anyHook = "*";

/** Hooks that only some commands run; see `githooks(5)`. */
const own: Readonly<Record<string, string>> = {
  commit: "pre-commit prepare-commit-msg commit-msg post-commit post-rewrite pre-auto-gc",
  checkout: "post-checkout",
  switch: "post-checkout",
  restore: "post-checkout",
  clone: "post-checkout",
  fetch: "pre-auto-gc",
  remote: "pre-auto-gc",
  gc: "pre-auto-gc",
  maintenance: "pre-auto-gc",
};

/** Hooks of every command that writes the index or a ref. */
const all = ["post-index-change", "reference-transaction"];

/** The hooks that a git command runs if the repository has them. */
export function hooksOf(command: string): readonly string[] {
  return [...(own[command]?.split(" ") ?? []), ...all];
}
