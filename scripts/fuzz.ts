import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import fc from "fast-check";
import { builtCommand } from "../bench/built-command.ts";
import { childEnvironment } from "../bench/child-environment.ts";
import {
  type HookInput,
  mutatedBytes,
  mutatedPayload,
  randomBytes,
  randomJson,
} from "../bench/fuzz-hook-inputs.ts";
import { grammarCommand, mutatedCommand, randomText, repeatedPiece } from "../bench/fuzz-shell-inputs.ts";
import { scratchProject } from "../bench/scratch-project.ts";
import { ruleCodes } from "../src/core/rules/catalog.ts";
import { findSecrets } from "../src/core/secrets/find-secrets.ts";
import { runPoint } from "../src/hooks/run-point.ts";
import { maskDocument } from "../src/workspace/mask-document.ts";
import { fixtureProject } from "../test/support/fixture-project.ts";
import { memoryPorts } from "../test/support/judge.ts";

const usage = `usage: npm run fuzz -- [--runs N] [--seed N] [--only NAME]…
Throws random input at the hook points and at the shell analysis, every thousandth also at the built command.
Exit 1 on any finding, with the seed and the smallest input that shows it.
`;

const analysisMsMax = 250;
const processEvery = 1000;
const progressEvery = 5000;
const slowestShown = 5;
const shownMax = 1000;

const { values: flags } = parseArgs({
  options: {
    runs: { type: "string", default: "20000" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    only: { type: "string", multiple: true, default: [] },
    help: { type: "boolean", default: false },
  },
});

const ports = {
  ...memoryPorts({ "/repo/worklogs/T-123.md": "worked on it\n", "/repo/src/a.py": "x" }),
  findSecrets,
  saveSnapshot: async (_session: string | undefined, snapshot: object) => {
    await maskDocument(snapshot);
    return { path: "/snapshots/1.json" };
  },
};

async function checkHook({ point, bytes }: HookInput): Promise<void> {
  const verdict = await runPoint(point, bytes, ports);
  const known = verdict.allow ? verdict.code === "OK" : ruleCodes.includes(verdict.code);
  if (!known || !/^[^\n\r]{1,500}$/.test(verdict.reason))
    throw new Error(`no verdict: ${JSON.stringify(verdict)}`);
  if (verdict.code === "E-INTERNAL") throw new Error(verdict.reason);
}

let slowest: readonly { readonly command: string; readonly ms: number }[] = [];
/** Refusals that stand for an exception inside the analysis: safe, but worth a look. */
const swallowed = new Set<string>();

function checkCommand(command: string): void {
  const first = timeAnalysis(command);
  // Once more before it counts: a busy machine or a collection must not look like a finding.
  const ms =
    first > analysisMsMax && first < analysisMsMax * 8 ? Math.min(first, timeAnalysis(command)) : first;
  slowest = [...slowest, { command, ms }].sort((a, b) => b.ms - a.ms).slice(0, slowestShown);
  if (ms > analysisMsMax)
    throw new Error(`the analysis takes more than ${analysisMsMax} ms for ${command.length} characters`);
  fixtureProject.judge(command);
}

function timeAnalysis(command: string): number {
  const start = performance.now();
  const { refusals } = fixtureProject.analyze(command);
  const spent = performance.now() - start;
  if (refusals.some(({ why }) => why.endsWith("the analysis failed on it"))) swallowed.add(command);
  return spent;
}

/** The real process: exit 0 or 2, an answer on stdout, and never a silent deny. */
function checkProcess(args: readonly string[], input: Uint8Array): void {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [lockstep.path, ...args], {
    cwd: project.path,
    env: childEnvironment(),
    input,
    encoding: "utf8",
  });
  const said = shorten(stdout + stderr);
  if (status !== 0 && status !== 2) throw new Error(`the process ended with ${signal ?? status}: ${said}`);
  if (args[0] !== "hook") return;
  const { allow } = JSON.parse(stdout) as { allow: unknown };
  if (allow !== (status === 0) || (status === 2 && stderr === ""))
    throw new Error(`the process ended with ${status} and said: ${said}`);
}

const hook = {
  check: checkHook,
  inProcess: ({ point, bytes }: HookInput) => checkProcess(["hook", point], bytes),
};

const shell = {
  check: checkCommand,
  // A word of a command line cannot hold a NUL, nor half a surrogate pair.
  inProcess: (command: string) => {
    const word = command.replaceAll("\0", " ").toWellFormed();
    checkProcess(["explain", "--scope=src/a", "--", word], new Uint8Array());
  },
};

interface Checks<Input> {
  check(input: Input): unknown;
  inProcess(input: Input): void;
}

interface Outcome {
  readonly runs: number;
  readonly processes: number;
  readonly finding?: string;
}

interface Target {
  readonly name: string;
  /** Part of all runs, in per cent. */
  readonly share: number;
  run(runs: number): Promise<Outcome>;
}

function target<Input>(
  name: string,
  share: number,
  { input, check, inProcess }: Checks<Input> & { input: fc.Arbitrary<Input> },
): Target {
  const run = async (runs: number): Promise<Outcome> => {
    const count = { runs: 0, processes: 0 };
    let insists = false;
    const property = fc.asyncProperty(input, async (one) => {
      count.runs += 1;
      if (count.runs % progressEvery === 0) console.error(`  ${name}: ${count.runs} of ${runs}`);
      await check(one);
      if (!insists && count.runs % processEvery !== 1) return;
      insists = true; // stays so after a failure, for the inputs that it is shrunk to
      count.processes += 1;
      inProcess(one);
      insists = false;
    });
    const details = await fc.check(property, { numRuns: runs, seed: Number(flags.seed) });
    return details.failed ? { ...count, finding: describe(details as fc.RunDetails<[unknown]>) } : count;
  };
  return { name, share, run };
}

function describe(details: fc.RunDetails<[unknown]>): string {
  const { errorInstance: error, seed, counterexamplePath: path, counterexample } = details;
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `${cause}\n  seed ${seed}, path ${path}\n  input ${show(counterexample?.[0])}`;
}

function show(input: unknown): string {
  const isHook = typeof input === "object" && input !== null && "bytes" in input && "point" in input;
  if (!isHook) return shorten(JSON.stringify(input));
  const { point, bytes } = input as HookInput;
  return `${point} ${shorten(JSON.stringify(new TextDecoder().decode(bytes)))}`;
}

function shorten(text: string): string {
  return text.length <= shownMax ? text : `${text.slice(0, shownMax)}… (${text.length} characters)`;
}

const targets: readonly Target[] = [
  target("hook-bytes", 10, { ...hook, input: randomBytes }),
  target("hook-json", 15, { ...hook, input: randomJson }),
  target("hook-mutated", 15, { ...hook, input: mutatedPayload }),
  target("hook-mutated-bytes", 10, { ...hook, input: mutatedBytes }),
  target("shell-text", 15, { ...shell, input: randomText }),
  target("shell-grammar", 15, { ...shell, input: grammarCommand() }),
  target("shell-mutated", 15, { ...shell, input: mutatedCommand }),
  target("shell-repeated", 5, { ...shell, input: repeatedPiece }),
];

async function fuzz(): Promise<number> {
  const chosen = targets.filter(({ name }) => flags.only.length === 0 || flags.only.includes(name));
  const shares = chosen.reduce((sum, { share }) => sum + share, 0);
  const total = { runs: 0, processes: 0, findings: 0 };
  for (const { name, share, run } of chosen) {
    const wanted = Math.ceil((Number(flags.runs) * share) / shares);
    const { runs, processes, finding } = await run(wanted);
    console.log(
      `${finding === undefined ? "ok     " : "FINDING"} ${name}: ${runs} inputs, ${processes} processes`,
    );
    if (finding !== undefined) console.log(`  ${finding}`);
    total.runs += runs;
    total.processes += processes;
    total.findings += finding === undefined ? 0 : 1;
  }
  if (slowest.length > 0) console.log("slowest analyses:");
  for (const { ms, command } of slowest)
    console.log(
      `  ${ms.toFixed(1)} ms, ${command.length} characters: ${JSON.stringify(command.slice(0, 100))}`,
    );
  const [sample] = [...swallowed].sort((a, b) => a.length - b.length);
  if (sample !== undefined)
    console.log(
      `refused after an exception inside the analysis: ${swallowed.size}, shortest ${show(sample)}`,
    );
  const { runs, processes, findings } = total;
  console.log(
    `seed ${flags.seed}: ${runs} inputs, ${processes} through the real process, ${findings} findings`,
  );
  return findings > 0 ? 1 : 0;
}

if (flags.help) {
  console.log(usage);
  process.exit(0);
}
using project = scratchProject();
using lockstep = builtCommand();
process.exitCode = await fuzz();
