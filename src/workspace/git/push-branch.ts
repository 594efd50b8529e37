import { tryGit } from "./run-git.ts";

const remote = "origin";

/** Nothing is overwritten but `expected`, which was pushed from here before; undefined where it is pushed. */
export async function pushBranch(
  root: string,
  {
    commit,
    branch,
    expected,
  }: { readonly commit: string; readonly branch: string; readonly expected: string | null },
): Promise<{ readonly error: string } | undefined> {
  const lease = expected === null ? [] : [`--force-with-lease=refs/heads/${branch}:${expected}`];
  const words = ["push", "--quiet", ...lease, remote, `${commit}:refs/heads/${branch}`];
  const { exit, stderr } = await tryGit(root, words);
  return exit === 0 ? undefined : { error: stderr.trim().split("\n").at(-1) ?? "" };
}
