import { GitFault } from "./git-fault.ts";
import { LastingGit } from "./lasting-git.ts";

export interface GitObject {
  readonly id: string;
  readonly type: string;
  readonly size: number;
  readonly bytes: Buffer;
}

interface Question {
  readonly about: "info" | "contents";
  readonly name: string;
}

/** The object with a name: a full id, a ref, `REF^{tree}`, `REF:PATH`. Undefined if it does not exist. */
export function readObject(folder: string, name: string): Promise<GitObject | undefined> {
  return ask(folder, { about: "contents", name });
}

export async function hasObject(folder: string, name: string): Promise<boolean> {
  return (await ask(folder, { about: "info", name })) !== undefined;
}

/** Undefined if it does not exist. */
export async function sizeOfObject(folder: string, name: string): Promise<number | undefined> {
  return (await ask(folder, { about: "info", name }))?.size;
}

/** The bytes of a blob; undefined if it is larger than the limit. */
export async function readSmallBlob(folder: string, id: string, bytesMax: number) {
  const found = await ask(folder, { about: "info", name: id });
  if (found?.type !== "blob") throw new GitFault(["cat-file"], { exit: 0, stderr: `there is no blob ${id}` });
  return found.size > bytesMax ? undefined : (await readObject(folder, id))?.bytes;
}

async function ask(folder: string, question: Question): Promise<GitObject | undefined> {
  return question.name.includes("\n") ? undefined : reader.ask(folder, question);
}

const reader = new LastingGit<Question, GitObject | undefined>({
  words: ["cat-file", "--batch-command"],
  idleMs: 1_000,
  ask: ({ about, name }) => `${about} ${name}\n`,
  /** An answer is `ID TYPE SIZE`, followed for `contents` by the bytes and a line break. Any other line means missing. */
  answer({ about }, came) {
    const end = came.indexOf(10);
    if (end < 0) return undefined;
    const line = came.toString("latin1", 0, end);
    const [, id = "", type = "", digits = "0"] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(line) ?? [];
    if (id === "") return { answer: undefined, bytes: end + 1 };
    const size = Number(digits);
    const after = end + 1 + (about === "contents" ? size + 1 : 0);
    if (came.length < after) return undefined;
    return { answer: { id, type, size, bytes: came.subarray(end + 1, after - 1) }, bytes: after };
  },
});
