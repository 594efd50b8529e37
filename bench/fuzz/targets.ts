import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import fc from "fast-check";
import { builtCommand } from "../built-command.ts";
import { scratchProject } from "../scratch-project.ts";
import { type Checks, hookChecks, type Seen, type Slow, shellChecks } from "./checks.ts";
import { condense } from "./condense.ts";
import {
  type HookInput,
  longPayload,
  mutatedBytes,
  mutatedPayload,
  randomBytes,
  randomJson,
} from "./hook-inputs.ts";
import { grammarCommand, growingCommand, mutatedCommand, randomText, repeatedPiece } from "./shell-inputs.ts";

const processEvery = 1000;
const progressEvery = 5000;

/** The targets, and their shares of all runs. */
export const shares: Readonly<Record<string, number>> = {
  "hook-bytes": 10,
  "hook-json": 15,
  "hook-mutated": 15,
  "hook-mutated-bytes": 10,
  "hook-long": 0.5,
  "shell-text": 15,
  "shell-grammar": 15,
  "shell-mutated": 15,
  "shell-repeated": 3,
  "shell-growing": 1.5,
};

export interface Wanted {
  readonly target: string;
  readonly runs: number;
  readonly seed: number;
  /** Every input is written here before it is tried: it is the only trace if the process dies of it. */
  readonly lastInput: string;
}

export interface Outcome {
  readonly runs: number;
  readonly processes: number;
  readonly slowest: readonly Slow[];
  readonly swallowed: readonly string[];
  readonly finding?: string;
}

export async function fuzzTarget({ target, runs, seed, lastInput }: Wanted): Promise<Outcome> {
  using project = scratchProject();
  using built = builtCommand();
  const place = { root: project.path, command: built.path };
  const seen: Seen = { slowest: [], swallowed: new Set() };
  const hook = hookChecks(place, seen);
  const shell = shellChecks(place, seen);
  const tryAll = <Input>(input: fc.Arbitrary<Input>, checks: Checks<Input>) =>
    tryInputs(input, checks, { target, runs, seed, lastInput });
  const targets: Readonly<Record<string, () => Promise<Tried>>> = {
    "hook-bytes": () => tryAll(randomBytes, hook),
    "hook-json": () => tryAll(randomJson, hook),
    "hook-mutated": () => tryAll(mutatedPayload, hook),
    "hook-mutated-bytes": () => tryAll(mutatedBytes, hook),
    "hook-long": () => tryAll(longPayload, hook),
    "shell-text": () => tryAll(randomText, shell),
    "shell-grammar": () => tryAll(grammarCommand(), shell),
    "shell-mutated": () => tryAll(mutatedCommand, shell),
    "shell-repeated": () => tryAll(repeatedPiece, shell),
    "shell-growing": () => tryAll(growingCommand, shell),
  };
  const run = targets[target];
  if (run === undefined)
    throw new Error(`\`${target}\` is no target: one of ${Object.keys(targets).join(", ")}`);
  const tried = await run();
  const swallowed = [...seen.swallowed].sort((a, b) => a.length - b.length);
  return { ...tried, slowest: seen.slowest, swallowed };
}

type Tried = Pick<Outcome, "runs" | "processes" | "finding">;

async function tryInputs<Input>(
  input: fc.Arbitrary<Input>,
  { check, inProcess }: Checks<Input>,
  { target, runs, seed, lastInput }: Wanted,
): Promise<Tried> {
  const count = { runs: 0, processes: 0 };
  const file = openSync(lastInput, "w");
  let insists = false;
  const property = fc.asyncProperty(input, async (one) => {
    count.runs += 1;
    if (count.runs % progressEvery === 0) process.stderr.write(`  ${target}: ${count.runs} of ${runs}\n`);
    ftruncateSync(file);
    writeSync(file, show(one), 0);
    await check(one);
    if (!insists && count.runs % processEvery !== 1) return;
    insists = true; // remains so after a failure, for the smaller inputs
    count.processes += 1;
    inProcess(one);
    insists = false;
  });
  const details = await fc.check(property, { numRuns: runs, seed });
  closeSync(file);
  if (!details.failed) return count;
  const { errorInstance: error, counterexamplePath: path, counterexample } = details;
  const cause = error instanceof Error ? error.message : String(error);
  return { ...count, finding: `${cause}\n  path ${path}\n  input ${condense(show(counterexample?.[0]))}` };
}

function show(input: unknown): string {
  const isHook = typeof input === "object" && input !== null && "bytes" in input && "point" in input;
  if (!isHook) return JSON.stringify(input);
  const { point, bytes } = input as HookInput;
  return `${point} ${JSON.stringify(new TextDecoder().decode(bytes))}`;
}
