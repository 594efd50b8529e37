import { readRef } from "./refs.ts";
import { isShallow } from "./repository-state.ts";
import { tryGit } from "./run-git.ts";

/** The commit that a user names: a local branch if there is one, else any name that git knows. */
export async function findCommit(root: string, name: string): Promise<string | undefined> {
  const local = isBranchName(name) ? await readRef(root, `refs/heads/${name}`) : undefined;
  return local ?? (/^[-^:]|\s/.test(name) ? undefined : await readRef(root, name));
}

/** Why there is no such commit, with a suggestion. */
export async function whyNoCommit(root: string, name: string): Promise<string> {
  const problem = `there is no branch, tag or commit \`${name}\``;
  const { stdout } = await tryGit(root, [
    "for-each-ref",
    "--format=%(refname:short)",
    `refs/remotes/*/${name}`,
  ]);
  const [remote] = stdout.toString("utf8").split("\n").filter(Boolean);
  if (remote !== undefined) return `${problem}: did you mean \`${remote}\`?`;
  return (await isShallow(root))
    ? `${problem} in this shallow clone: run \`git fetch origin ${name}\` if the remote has it`
    : `${problem}: \`git branch --all\` lists the branches`;
}

/** Why a commit and the base have no common ancestor. */
export async function whyApart(root: string, name: string, base: string): Promise<string> {
  return (await isShallow(root))
    ? `this shallow clone lacks the commits that \`${name}\` and \`${base}\` have in common: run \`git fetch --unshallow\``
    : `\`${name}\` has no commit in common with the base: rebase it first`;
}

/** `f~1` and `f@{1}` are commits, not branches. */
function isBranchName(name: string): boolean {
  return !/[~^:?*[\\\s]|@\{|\.\.|\/\/|^-|\/$/.test(name);
}
