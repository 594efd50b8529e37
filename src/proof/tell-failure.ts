import { join } from "node:path";
import type { CheckRun } from "../core/proof/check-record.ts";
import { failingPart } from "../core/proof/failing-part/failing-part.ts";
import { maskSecrets } from "../core/secrets/mask-secrets.ts";
import { keepOutput } from "../workspace/state/check-outputs.ts";
import type { WalledResult } from "./walled-run.ts";
import type { WholeOutput } from "./whole-output.ts";

const tailLengthMax = 4096;

interface Failure extends WalledResult {
  readonly output: WholeOutput;
  /** Where it ran. */
  readonly folder: string;
  readonly msMax: number;
}

/** Of a failed check: what tells why, and where all that it printed is kept. */
export async function tellFailure(
  commonFolder: string,
  failure: Failure,
): Promise<Pick<CheckRun, "tail" | "excerpt" | "log">> {
  const { output, outputBytes, tail } = failure;
  // A program that never ran printed nothing; why it did not stands in its place.
  const printed = outputBytes === 0 ? await maskSecrets(tail) : await output.masked();
  const note = noteOn(failure);
  const whole = note === "" ? printed : `${printed.trimEnd()}\n${note}\n`;
  const told = [failingPart(fromRoot(printed, failure.folder)), note].filter(Boolean).join("\n");
  const ends = { tail: whole.slice(-tailLengthMax) };
  if (whole.trim() === "") return ends;
  try {
    return { ...ends, excerpt: told, log: keepOutput(join(commonFolder, "lockstep"), whole) };
  } catch (error) {
    return { ...ends, excerpt: `${told}\n(the whole output could not be kept: ${(error as Error).message})` };
  }
}

/** The checkout is gone or another tree's when somebody reads this: paths are told from the project's root. */
function fromRoot(output: string, folder: string): string {
  return output.replaceAll(`file://${folder}/`, "").replaceAll(`${folder}/`, "");
}

function noteOn({ exit, isFull, timedOut, msMax, inventory }: Failure): string {
  if (exit === 0 && inventory?.elsewhere !== undefined)
    return `the tests loaded ${inventory.elsewhere}, not from this tree, so that they passed proves nothing: install the project in the set-up (.venv/bin/pip install -e .), or put its folder on PYTHONPATH in the check`;
  if (exit === 0 && isFull) return "its disk is full, so that it passed proves nothing: free some space";
  return timedOut ? `it was ended: it took longer than ${msMax / 1000} s` : "";
}
