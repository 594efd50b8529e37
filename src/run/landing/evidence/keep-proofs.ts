import { notesRef } from "../../../core/names/ref-names.ts";
import { people, timestamp } from "../../../workspace/git/commit-writer.ts";
import { readRef } from "../../../workspace/git/refs.ts";
import { git, tryGit } from "../../../workspace/git/run-git.ts";

const triesMax = 20;

export interface ProvenCommit {
  readonly commit: string;
  readonly proof: unknown;
}

/** Writes the proofs as notes on their commits. Retries if another process writes notes at the same time. */
export async function keepProofs(root: string, proven: readonly ProvenCommit[]): Promise<void> {
  if (proven.length === 0) return;
  const notes = async () => {
    const from = (await readRef(root, notesRef)) ?? null;
    return notesText(root, { ref: notesRef, from, message: "Proofs that Lockstep made", proven });
  };
  for (let tries = 1; tries < triesMax; tries += 1) {
    if ((await tryGit(root, words, { input: await notes() })).exit === 0) return;
    await new Promise((resolve) => setTimeout(resolve, tries * 10));
  }
  await git(root, words, { input: await notes() });
}

export interface NewNotes {
  /** The ref to set. */
  readonly ref: string;
  readonly from: string | null;
  readonly message: string;
  readonly proven: readonly ProvenCommit[];
}

/** Writes one commit with notes on top of others to a ref, which it replaces. */
export async function writeNotes(root: string, notes: NewNotes): Promise<string> {
  await git(root, [...words, "--force"], { input: await notesText(root, notes) });
  return (await readRef(root, notes.ref)) as string;
}

const words = ["fast-import", "--quiet"];

/** One commit with all notes on top of the existing ones. Git refuses it if the ref has moved meanwhile. */
async function notesText(root: string, { ref, from, message, proven }: NewNotes): Promise<string> {
  const { committer } = await people(root);
  return [
    `commit ${ref}`,
    `committer ${committer} ${timestamp()}`,
    data(message),
    ...(from === null ? [] : [`from ${from}`]),
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
