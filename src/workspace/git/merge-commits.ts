import { GitFault } from "./git-fault.ts";
import { readParents } from "./refs.ts";
import { git, tryGit } from "./run-git.ts";
import { readTop } from "./tree-entries.ts";

export type Merged =
  | { readonly tree: string }
  /** The tree has marks where the two could not be brought together. */
  | { readonly tree: string; readonly conflicts: readonly string[] };

/** Merges two commits without any checkout: the tree, or the files that conflict. */
export async function mergeTrees(folder: string, ours: string, theirs: string): Promise<Merged> {
  // What stands on the other has nothing to be merged with.
  if ((await readParents(folder, theirs)).includes(ours)) return { tree: (await readTop(folder, theirs)).id };
  const words = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs];
  const { exit, stdout, stderr } = await tryGit(folder, words);
  if (exit !== 0 && exit !== 1) throw new GitFault(words, { exit, stderr });
  const [tree = "", ...files] = stdout.toString("utf8").split("\0").filter(Boolean);
  if (exit === 0) return { tree };
  return { tree, conflicts: [...new Set(files)] };
}

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly subject: string;
  readonly body?: string;
  readonly trailers?: Readonly<Record<string, string>>;
}

/** A commit object on no branch. */
export async function commitTree(folder: string, { tree, parents, subject, body, trailers = {} }: NewCommit) {
  const lines = Object.entries(trailers).map(([name, value]) => `${name}: ${value}`);
  const message = [subject, body, lines.join("\n")]
    .filter((part) => part !== undefined && part !== "")
    .join("\n\n");
  const words = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent])];
  return git(folder, [...(await identity(folder)), ...words], { input: `${message}\n` });
}

/** Settings for somebody whom git does not know. */
export function identity(folder: string): Promise<readonly string[]> {
  const known = identities.get(folder) ?? readIdentity(folder);
  identities.set(folder, known);
  return known;
}

/** Asked once: a command does not live long enough to see somebody change their name. */
const identities = new Map<string, Promise<readonly string[]>>();

async function readIdentity(folder: string): Promise<readonly string[]> {
  const { exit } = await tryGit(folder, ["var", "GIT_COMMITTER_IDENT"]);
  return exit === 0 ? [] : ["-c", "user.name=Lockstep", "-c", "user.email=lockstep@localhost"];
}
