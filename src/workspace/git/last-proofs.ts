import { splitAtZero } from "./read-diff.ts";
import { tryGit } from "./run-git.ts";

const commitsMax = 100;

/** How many seconds each check took when it last passed, by the proofs that lie as notes on the base's commits. */
export async function lastProofs(root: string, base: string): Promise<ReadonlyMap<string, number>> {
  const words = ["log", `--max-count=${commitsMax}`, "--first-parent", "--notes=lockstep", "--format=%N%x00"];
  const { exit, stdout } = await tryGit(root, [...words, base]);
  const seconds = new Map<string, number>();
  if (exit !== 0) return seconds;
  for (const note of splitAtZero(stdout).map(String))
    for (const { command, after } of evidenceIn(note))
      if (!seconds.has(command)) seconds.set(command, after.seconds);
  return seconds;
}

interface Evidence {
  readonly command: string;
  readonly after: { readonly seconds: number };
}

/** Anybody can write notes: what is none of Lockstep's tells nothing. */
function evidenceIn(note: string): readonly Evidence[] {
  try {
    const { evidence } = JSON.parse(note) as { evidence?: unknown };
    return Array.isArray(evidence) ? evidence.filter(isEvidence) : [];
  } catch {
    return [];
  }
}

function isEvidence(one: unknown): one is Evidence {
  const { command, after } = Object(one);
  return typeof command === "string" && typeof Object(after).seconds === "number";
}
