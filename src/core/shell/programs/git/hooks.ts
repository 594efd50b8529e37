/** In place of a hook's name: git is to be started apart from the project's folders, whatever hooks there are. */
export const anyHook = "*";

/** Hooks of the commands that have their own; `githooks(5)` lists them. */
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

/** Whatever writes the index or a ref. */
const all = ["post-index-change", "reference-transaction"];

/** The hooks that a git command runs where the repository has them. */
export function hooksOf(command: string): readonly string[] {
  return [...(own[command]?.split(" ") ?? []), ...all];
}
