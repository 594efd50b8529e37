import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { condense } from "../bench/fuzz/condense.ts";
import { executeCommands } from "../bench/fuzz/execute/execute-commands.ts";
import { describeViolation, tableOf, withoutEffectByReason } from "../bench/fuzz/execute/print-executed.ts";
import { isViolation } from "../bench/fuzz/execute/tell-executed.ts";
import { fuzzTarget, type Outcome, shares } from "../bench/fuzz/targets.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";

const usage = `usage: npm run fuzz -- [--runs N] [--seed N] [--only TARGET]…
       npm run fuzz -- --execute N [--seed N]
Throws random input at the hook points and at the shell analysis, every thousandth also at the built command
(run \`npm run build\` first). Exit 1 on any finding, with the seed and the smallest input that shows it.
With --execute, N commands run for real in a sandbox (bubblewrap) with a small repository: exit 1 if one that is let
through changes anything outside its lock.
targets: ${Object.keys(shares).join(", ")}
`;

const heapMiBMax = 1024;
const slowestShown = 5;

const { values: flags } = parseArgs({
  options: {
    runs: { type: "string", default: "20000" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    execute: { type: "string" },
    only: { type: "string", multiple: true, default: [] },
    help: { type: "boolean", default: false },
    /** Internal: fuzzes one target in this process and prints the outcome. */
    target: { type: "string" },
    "last-input": { type: "string", default: "" },
  },
});

if (flags.help) process.stdout.write(usage);
else if (flags.target !== undefined) await fuzzHere(flags.target);
else if (flags.execute !== undefined) process.exitCode = await fuzzByExecution(Number(flags.execute));
else process.exitCode = fuzzAll();

async function fuzzByExecution(count: number): Promise<number> {
  const folder = fileURLToPath(new URL("../node_modules/.cache", import.meta.url));
  const start = performance.now();
  const all = await executeCommands({
    count,
    seed: Number(flags.seed),
    folder,
    lanes: availableParallelism(),
  });
  const violations = all.filter(isViolation);
  for (const violation of violations) console.log(describeViolation(violation));
  console.log(tableOf(all, (performance.now() - start) / 1000));
  console.log(
    `refused without effect, by the first reason:\n${withoutEffectByReason(all)}\nseed ${flags.seed}`,
  );
  return violations.length > 0 ? 1 : 0;
}

async function fuzzHere(target: string): Promise<void> {
  const [runs, seed] = [Number(flags.runs), Number(flags.seed)];
  process.stdout.write(
    JSON.stringify(await fuzzTarget({ target, runs, seed, lastInput: flags["last-input"] })),
  );
}

/** Each target runs in a process with a small heap: if it dies of an input, that is a finding like any other. */
function fuzzApart(target: string, runs: number): Outcome {
  using folder = temporaryFolder();
  const lastInput = join(folder.path, "last-input");
  const args = ["--target", target, "--runs", String(runs), "--seed", flags.seed, "--last-input", lastInput];
  const { status, signal, stdout } = spawnSync(
    process.execPath,
    [`--max-old-space-size=${heapMiBMax}`, fileURLToPath(import.meta.url), ...args],
    { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 256 * 1024 * 1024 },
  );
  if (status === 0) return JSON.parse(stdout) as Outcome;
  const input = condense(readFileSync(lastInput, "utf8"));
  const finding = `the process died (${signal ?? `exit ${status}`}, see above)\n  input, not shrunk: ${input}`;
  return { runs: 0, processes: 0, slowest: [], swallowed: [], finding };
}

function fuzzAll(): number {
  const chosen = Object.entries(shares).filter(
    ([name]) => flags.only.length === 0 || flags.only.includes(name),
  );
  const whole = chosen.reduce((sum, [, share]) => sum + share, 0);
  const outcomes = chosen.map(([target, share]) => {
    process.stderr.write(`fuzzing ${target} …\n`);
    const outcome = fuzzApart(target, Math.ceil((Number(flags.runs) * share) / whole));
    const { runs, processes, finding } = outcome;
    const counts = `${runs} inputs, ${processes} through the real process`;
    console.log(`${finding === undefined ? "ok     " : "FINDING"} ${target}: ${counts}`);
    if (finding !== undefined) console.log(`  ${finding}`);
    return outcome;
  });
  printSeen(outcomes);
  const findings = outcomes.filter(({ finding }) => finding !== undefined).length;
  const sum = (key: "runs" | "processes") => outcomes.reduce((total, outcome) => total + outcome[key], 0);
  console.log(
    `seed ${flags.seed}: ${sum("runs")} inputs, ${sum("processes")} through the real process, ${findings} findings`,
  );
  return findings > 0 ? 1 : 0;
}

function printSeen(outcomes: readonly Outcome[]): void {
  const slowest = outcomes.flatMap((outcome) => outcome.slowest).sort((a, b) => b.ms - a.ms);
  console.log("slowest:");
  for (const { ms, input } of slowest.slice(0, slowestShown))
    console.log(`  ${ms.toFixed(1)} ms, ${input.length} characters: ${condense(JSON.stringify(input))}`);
  const swallowed = outcomes.flatMap((outcome) => outcome.swallowed).sort((a, b) => a.length - b.length);
  if (swallowed.length === 0) return;
  console.log(`refused after an exception inside the analysis: ${swallowed.length}; the shortest:`);
  console.log(`  ${condense(JSON.stringify(swallowed[0]))}`);
}
