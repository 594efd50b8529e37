import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { hookText } from "../src/guard/transport/hook-file.ts";
import { hookLine } from "../src/guard/transport/hook-line.ts";
import { hookFile } from "../src/guard/transport/launch-file.ts";
import { readMachine } from "../src/guard/transport/ways-to-ask.ts";
import { builtCommand } from "./built-command.ts";
import { childEnvironment } from "./child-environment.ts";
import { type GuardServer, guardServer } from "./guard-server.ts";
import { ordinaryCalls } from "./ordinary-payloads.ts";
import { atMost, type Goal, type Options, type Row, type Section } from "./section.ts";
import { type Candidate, interleave, median, nowMs, quantile } from "./statistics.ts";

const baseline = fileURLToPath(new URL("./baseline-hook.mjs", import.meta.url));
const baselineName = "baseline: a plain Node script";
const shellName = "sh -c :";
const locks = 10_000;
/** Calls before the measurement: the server of a person has already answered many. */
const warmUp = 500;
/** After the first tenth of the calls, everything is loaded. */
const growthMax = 1.1;

export const name = "guard-call";

/** The cost of the guard before a tool call, for each way of asking. */
export async function measure({ quick }: Options): Promise<readonly Section[]> {
  using built = builtCommand();
  await using server = await guardServer(built, locks);
  await callMany(server.overHttp, warmUp, 1);
  return [
    await measureWays(server, quick ? 10 : 60),
    await measureServer(server, quick ? 1000 : 10_000),
    await measureMemory(server, quick ? 10_000 : 100_000),
    // Last: after an orchestrator has called, every call looks for its state.
    await measureFiles(server, quick ? 200 : 2000),
  ];
}

interface Way {
  readonly run: Candidate;
  /** Share of the baseline. */
  readonly shareMax?: number;
  /** Must cost less than starting a shell. */
  readonly underShell?: true;
  /** Starts with a shell, like any command in a client's settings: only the rest is its own cost. */
  readonly overShell?: true;
}

/** S3-140: the approximate limit for a call, besides the cost of any hook. */
const ownMsMax = 5;

async function measureWays(server: GuardServer, rounds: number): Promise<Section> {
  const ways = waysOf(server);
  const candidates = Object.fromEntries(Object.entries(ways).map(([way, { run }]) => [way, run]));
  await interleave(candidates, 2); // warm-up
  const samples = await interleave(candidates, rounds);
  const of = (way: string) => median(samples[way] ?? []);
  const rows = Object.entries(ways).map(([way, { shareMax, underShell, overShell }]): Row => {
    const ratio = of(way) / of(baselineName);
    const goals: Goal[] = shareMax === undefined ? [] : [atMost(ratio, shareMax, "ratio")];
    if (underShell) goals.push(atMost(of(way), of(shellName), "time"));
    const own = overShell ? of(way) - of(shellName) : of(way);
    if (overShell || underShell) goals.push(atMost(own, ownMsMax, "time"));
    const times = samples[way] ?? [];
    const values = { median: of(way), p10: quantile(times, 0.1), p90: quantile(times, 0.9), own, ratio };
    return { name: way, values, goals };
  });
  const columns = [
    { key: "median", unit: "time" },
    { key: "p10", unit: "time" },
    { key: "p90", unit: "time" },
    { key: "own", unit: "time" },
    { key: "ratio", unit: "ratio" },
  ] as const;
  return { title: "One hook call from a Node parent, interleaved", columns, rows };
}

function waysOf(server: GuardServer): Readonly<Record<string, Way>> {
  const { stateFolder, root, payload } = server;
  const env = { ...childEnvironment(), ...server.caller, PWD: root };
  const program = (words: readonly string[], input: string) => () =>
    timeProgram(words, { input, env, cwd: root });
  const words = ["sh", "-c", hookLine("claude")];
  // It needs nothing from its environment, which saves a process. It reads, because other tasks hold the locks.
  const { TMPDIR: _temporary, ...bare } = childEnvironment();
  const plainHook = () =>
    timeProgram(words, {
      input: payload.replace('"Write"', '"Read"'),
      env: { ...bare, PWD: root },
      cwd: root,
    });
  const plain = ordinaryCalls.find(({ point }) => point === "PreWrite")?.payload;
  const files = ["baseline-state.json", "baseline-audit.jsonl"].map((file) => join(root, ".git", file));
  const { netcat } = readMachine();
  if (!netcat) process.stderr.write("no `nc` with -U and -N is on PATH: hooks through it are not measured\n");
  return {
    [shellName]: { run: program(["sh", "-c", ":"], "") },
    [baselineName]: { run: program([process.execPath, baseline, ...files], JSON.stringify(plain)) },
    "hook over HTTP": { run: () => timed(() => server.overHttp()), shareMax: 1 / 15, underShell: true },
    ...(netcat
      ? {
          "hook through nc, an agent with a task": {
            run: program(words, payload),
            ...{ shareMax: 1 / 8, overShell: true },
          },
          "hook through nc, a session without one": { run: plainHook, shareMax: 1 / 8, overShell: true },
        }
      : {}),
    "hook through the Node client": {
      run: () =>
        timeProgram(words, {
          ...{ input: payload, cwd: root },
          env: { ...env, LOCKSTEP_HOOKS: withoutNetcat(stateFolder) },
        }),
      shareMax: 0.9,
    },
  };
}

/** The state folder as hooks see it on a machine without a suitable `nc`. */
function withoutNetcat(stateFolder: string): string {
  const folder = join(stateFolder, "without-nc");
  if (existsSync(folder)) return folder;
  mkdirSync(folder);
  for (const name of ["listening", "launch", "active"])
    symlinkSync(join(stateFolder, name), join(folder, name));
  writeFileSync(hookFile(folder), hookText({ netcat: false }));
  return folder;
}

function timeProgram(
  [program = "", ...words]: readonly string[],
  options: { readonly input: string; readonly env: NodeJS.ProcessEnv; readonly cwd: string },
): number {
  const start = nowMs();
  const { status, stdout, stderr, error } = spawnSync(program, words, options);
  const spent = nowMs() - start;
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stdout}${stderr}`);
  return spent;
}

async function timed(call: () => Promise<void>): Promise<number> {
  const start = nowMs();
  await call();
  return nowMs() - start;
}

async function measureServer(server: GuardServer, calls: number): Promise<Section> {
  const rows: Row[] = [];
  for (const [way, call] of [
    ["HTTP", server.overHttp],
    ["socket", server.onSocket],
  ] as const)
    for (const connections of [1, 16]) {
      await callMany(call, calls / 10, connections); // warm-up
      const start = nowMs();
      const times = await callMany(call, calls, connections);
      const values = {
        p50: median(times),
        p99: quantile(times, 0.99),
        "/s": Math.round((1000 * times.length) / (nowMs() - start)),
      };
      rows.push({ name: `${way}, ${connections} at once`, values });
    }
  const columns = [
    { key: "p50", unit: "time" },
    { key: "p99", unit: "time" },
    { key: "/s", unit: "count" },
  ] as const;
  return { title: "The server beside 10,000 locks, as its callers see it", columns, rows };
}

/** Calls that write files, whose time also depends on the disk. */
async function measureFiles(server: GuardServer, calls: number): Promise<Section> {
  const rows: Row[] = [];
  for (const [way, call, msMax] of [
    ["state: an orchestrator's call", server.orchestrated, 3],
    ["log: after an agent's call", server.written, 2],
  ] as const) {
    await callMany(call, calls / 10, 1); // warm-up
    const times = await callMany(call, calls, 1);
    const values = { p50: median(times), p99: quantile(times, 0.99) };
    rows.push({ name: way, values, goals: [atMost(values.p50, msMax, "time")] });
  }
  const columns = [
    { key: "p50", unit: "time" },
    { key: "p99", unit: "time" },
  ] as const;
  return { title: "The server's files, with the whole call over HTTP", columns, rows };
}

async function callMany(call: () => Promise<void>, calls: number, connections: number): Promise<number[]> {
  const times: number[] = [];
  let begun = 0;
  const go = async () => {
    while (begun < calls) {
      begun += 1;
      times.push(await timed(call));
    }
  };
  await Promise.all(Array.from({ length: connections }, go));
  return times;
}

async function measureMemory(server: GuardServer, calls: number): Promise<Section> {
  await callMany(server.overHttp, calls / 10, 16);
  const early = server.memoryBytes();
  await callMany(server.overHttp, calls - calls / 10, 16);
  const late = server.memoryBytes();
  const growth = late / early;
  const columns = [
    { key: "after a tenth", unit: "bytes" },
    { key: "after all", unit: "bytes" },
    { key: "growth", unit: "ratio" },
  ] as const;
  const values = { "after a tenth": early, "after all": late, growth };
  const row = { name: `${calls} calls`, values, goals: [atMost(growth, growthMax, "ratio")] };
  return { title: "Memory of the server", columns, rows: [row] };
}
