import { join } from "node:path";
import type { CheckRun } from "../core/proof/check-record.ts";
import { failingPart } from "../core/proof/failing-part/failing-part.ts";
import { maskSecrets } from "../core/secrets/mask-secrets.ts";
import { keepOutput } from "../workspace/state/check-outputs.ts";
import type { SandboxedResult } from "./sandboxed-run.ts";
import type { WholeOutput } from "./whole-output.ts";

const tailLengthMax = 4096;

interface Failure extends SandboxedResult {
  readonly output: WholeOutput;
  /** The checkout in which it ran. */
  readonly folder: string;
  readonly msMax: number;
  /** Masks the values of the included files, which no pattern recognises. */
  mask(text: string): string;
}

/** For a failed check: the part of its output that shows why, and the file with the whole output. */
export async function tellFailure(
  commonFolder: string,
  failure: Failure,
): Promise<Pick<CheckRun, "tail" | "excerpt" | "log">> {
  const { output, outputBytes, tail } = failure;
  // If the program did not start, `tail` says why.
  const printed = failure.mask(outputBytes === 0 ? await maskSecrets(tail) : await output.masked());
  const note = noteOn(failure);
  const whole = note === "" ? printed : `${printed.trimEnd()}\n${note}\n`;
  const excerpt = [failingPart(fromRoot(printed, failure.folder)), note].filter(Boolean).join("\n");
  const ends = { tail: whole.slice(-tailLengthMax) };
  if (whole.trim() === "") return ends;
  try {
    return { ...ends, excerpt, log: keepOutput(join(commonFolder, "lockstep"), whole) };
  } catch (error) {
    return {
      ...ends,
      excerpt: `${excerpt}\n(the whole output could not be kept: ${(error as Error).message})`,
    };
  }
}

/** Makes paths relative to the project's root, because the checkout is used for other trees later. */
function fromRoot(output: string, folder: string): string {
  return output.replaceAll(`file://${folder}/`, "").replaceAll(`${folder}/`, "");
}

function noteOn({ exit, isFull, timedOut, msMax, inventory }: Failure): string {
  if (exit === 0 && inventory?.elsewhere !== undefined)
    return `the tests loaded ${inventory.elsewhere}, which is not in this tree, so the pass proves nothing: install the project in the setup (.venv/bin/pip install -e .), or put its folder on PYTHONPATH in the check`;
  if (exit === 0 && isFull) return "the disk is full, so the pass proves nothing: free some space";
  return timedOut ? `the check was ended after its time limit of ${msMax / 1000} s` : "";
}
