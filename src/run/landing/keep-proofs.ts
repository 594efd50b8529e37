import { people, timestamp } from "../../workspace/git/commit-writer.ts";
import { readRef } from "../../workspace/git/refs.ts";
import { git, tryGit } from "../../workspace/git/run-git.ts";

const triesMax = 20;
const ref = "refs/notes/lockstep";

export interface ProvenCommit {
  readonly commit: string;
  readonly proof: unknown;
}

/** Writes the proofs as notes on their commits. Retries if another process writes notes at the same time. */
export async function keepProofs(root: string, proven: readonly ProvenCommit[]): Promise<void> {
  if (proven.length === 0) return;
  const words = ["fast-import", "--quiet"];
  for (let tries = 1; tries < triesMax; tries += 1) {
    if ((await tryGit(root, words, { input: await notesOn(root, proven) })).exit === 0) return;
    await new Promise((resolve) => setTimeout(resolve, tries * 10));
  }
  await git(root, words, { input: await notesOn(root, proven) });
}

/** One commit with all notes on top of the existing ones. Git refuses it if the ref has moved meanwhile. */
async function notesOn(root: string, proven: readonly ProvenCommit[]): Promise<string> {
  const { committer } = await people(root);
  const before = await readRef(root, ref);
  return [
    `commit ${ref}`,
    `committer ${committer} ${timestamp()}`,
    data("Proofs that Lockstep made"),
    ...(before === undefined ? [] : [`from ${before}`]),
    ...proven.flatMap(({ commit, proof }) => [
      `N inline ${commit}`,
      data(`${JSON.stringify(proof, null, 2)}\n`),
    ]),
    "",
  ].join("\n");
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}`;
}
