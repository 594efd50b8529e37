import { randomUUID } from "node:crypto";
import { LastingGit } from "./lasting-git.ts";
import { sizeOfObject } from "./object-reader.ts";
import { readRef } from "./refs.ts";
import { gitBytes } from "./run-git.ts";
import { compareTrees, type Difference } from "./tree-entries.ts";

const form = ["-r", "-p", "-U0", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"];

/** Larger changes are read by a process of their own. */
const filesMax = 20;
const fileBytesMax = 32 * 1024;

/** The lines that differ between two commits, as git shows them without context. */
export async function readPatch(folder: string, from: string, to: string): Promise<string> {
  const [old, now] = await Promise.all([from, to].map((name) => readRef(folder, name)));
  const isShort =
    old !== undefined && now !== undefined && (await areSmall(folder, await compareTrees(folder, old, now)));
  // The long-running git says nothing about a commit that it does not find.
  if (isShort) return patches.ask(folder, `${now} ${old}`);
  return (await gitBytes(folder, ["diff-tree", ...form, from, to])).toString("utf8");
}

async function areSmall(folder: string, differences: readonly Difference[]): Promise<boolean> {
  if (differences.length > filesMax) return false;
  const entries = differences.flatMap(({ before, after }) =>
    [before, after].filter((one) => one !== undefined),
  );
  const isSmall = async ({ mode, id }: (typeof entries)[number]) =>
    mode !== "160000" && ((await sizeOfObject(folder, id)) ?? Infinity) <= fileBytesMax;
  return (await Promise.all(entries.map(isSmall))).every(Boolean);
}

/** The command repeats a line that names no commit. A line of a patch never starts like this one. */
const end = `lockstep-${randomUUID()}\n`;

/** Of a commit and the one to compare it with. */
const patches = new LastingGit<string, string>({
  words: ["diff-tree", "--stdin", "--no-commit-id", ...form],
  idleMs: 1_000,
  ask: (commits) => `${commits}\n${end}`,
  answer(_commits, came) {
    const at = came.indexOf(end);
    return at < 0 ? undefined : { answer: came.toString("utf8", 0, at), bytes: at + end.length };
  },
});
