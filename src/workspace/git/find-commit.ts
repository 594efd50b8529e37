import { readRef } from "./refs.ts";
import { isShallow } from "./repository-state.ts";
import { tryGit } from "./run-git.ts";

/** What a person names to be landed: a local branch before anything else, then whatever git knows it as. */
export async function findCommit(root: string, name: string): Promise<string | undefined> {
  const local = isBranchName(name) ? await readRef(root, `refs/heads/${name}`) : undefined;
  return local ?? (/^[-^:]|\s/.test(name) ? undefined : await readRef(root, name));
}

/** Why there is no such commit, and what may be meant. */
export async function whyNoCommit(root: string, name: string): Promise<string> {
  const told = `there is no branch, tag or commit \`${name}\``;
  const { stdout } = await tryGit(root, [
    "for-each-ref",
    "--format=%(refname:short)",
    `refs/remotes/*/${name}`,
  ]);
  const [remote] = stdout.toString("utf8").split("\n").filter(Boolean);
  if (remote !== undefined) return `${told}: did you mean \`${remote}\`?`;
  return (await isShallow(root))
    ? `${told} in this shallow clone: \`git fetch origin ${name}\` brings it, if the remote has it`
    : `${told}: \`git branch --all\` lists the branches`;
}

/** Of two commits without a common one. */
export async function whyApart(root: string, name: string, base: string): Promise<string> {
  return (await isShallow(root))
    ? `this shallow clone lacks the commits that \`${name}\` and \`${base}\` have in common: run \`git fetch --unshallow\``
    : `\`${name}\` has no commit in common with the base: rebase it first`;
}

/** `f~1` and `f@{1}` are commits, not branches. */
function isBranchName(name: string): boolean {
  return !/[~^:?*[\\\s]|@\{|\.\.|\/\/|^-|\/$/.test(name);
}
