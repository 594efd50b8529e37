import { whyUntested } from "../../core/proof/check-record.ts";
import { splitAtZero } from "./read-diff.ts";
import { tryGit } from "./run-git.ts";

const commitsMax = 100;

/** The last run of each check that passed: how many seconds it took, and why it verified nothing, if so. */
export async function lastProofs(root: string, base: string): Promise<ReadonlyMap<string, LastProof>> {
  const proofs = new Map<string, LastProof>();
  for (const { command, after } of await evidenceOf(root, base))
    if (!proofs.has(command)) proofs.set(command, { seconds: after.seconds, untested: untestedBy(after) });
  return proofs;
}

interface LastProof {
  readonly seconds: number;
  readonly untested: string | undefined;
}

/** The number of tests is missing in notes of older versions. */
function untestedBy({ exit, tests }: Evidence["after"]): string | undefined {
  const { ran, skipped } = Object(tests);
  if (typeof ran !== "number" || typeof skipped !== "number") return undefined;
  return whyUntested({ exit: exit === 0 ? 0 : null, tests: { ran, skipped } });
}

/** How many times each check both failed and passed on the same tree. */
export async function flakyProofs(root: string, base: string): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>();
  for (const { command, before, after, again } of await evidenceOf(root, base))
    if ([before, after].some((run) => run?.earlier != null) || (after.exit !== 0 && again?.exit === 0))
      times.set(command, (times.get(command) ?? 0) + 1);
  return times;
}

/** From the proofs in the notes of the base's commits, the newest first. */
async function evidenceOf(root: string, base: string): Promise<readonly Evidence[]> {
  const words = ["log", `--max-count=${commitsMax}`, "--first-parent", "--notes=lockstep", "--format=%N%x00"];
  const { exit, stdout } = await tryGit(root, [...words, base]);
  return exit === 0 ? splitAtZero(stdout).map(String).flatMap(evidenceIn) : [];
}

interface Run {
  readonly exit?: unknown;
  readonly earlier?: unknown;
}

interface Evidence {
  readonly command: string;
  readonly before?: Run | null;
  readonly after: Run & { readonly seconds: number; readonly tests?: unknown };
  readonly again?: Run | null;
}

/** Notes that Lockstep did not write are ignored. */
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
