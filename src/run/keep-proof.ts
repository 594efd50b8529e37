import { identity } from "../workspace/git/merge-commits.ts";
import { git, tryGit } from "../workspace/git/run-git.ts";

const triesMax = 20;

/** The proof as a note on the commit. Another process may be writing one at the same moment. */
export async function keepProof(root: string, commit: string, proof: unknown): Promise<void> {
  const words = [...(await identity(root)), "notes", "--ref=lockstep", "add", "--force", "--file=-", commit];
  const input = `${JSON.stringify(proof, null, 2)}\n`;
  for (let tries = 1; tries < triesMax; tries += 1) {
    if ((await tryGit(root, words, { input })).exit === 0) return;
    await new Promise((resolve) => setTimeout(resolve, tries * 10));
  }
  await git(root, words, { input });
}
