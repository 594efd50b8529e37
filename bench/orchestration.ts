import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { builtCommand } from "./built-command.ts";
import { childEnvironment } from "./child-environment.ts";
import { planRepository } from "./plan-repository.ts";
import { atMost, type Goal, type Options, type Row, type Section } from "./section.ts";
import { median } from "./statistics.ts";

const beyondMsMax = 15;
const growthMax = 1.3;
const roundsOfSmall = 3;
const smallMax = 100;
const preload = new URL("./child-time.mjs", import.meta.url).pathname;

/** The measurements of one run; see child-time.mjs. */
interface Run {
  readonly wallMs: number;
  readonly childMs: number;
  readonly cpuMs: number;
  readonly startCpuMs: number;
  readonly started: number;
  /** The maximum in the first tenth of the run. */
  readonly tenthBytes: number;
  readonly peakBytes: number;
}

export const name = "orchestration";

/**
 * The cost of a task in a run, beyond the time in which git, its agent or its checks were running (`theirs`). `own CPU`
 * is the CPU time of Lockstep's own process, also during those; growth is measured by it, since it varies least.
 */
export async function measure({ quick }: Options): Promise<readonly Section[]> {
  using lockstep = builtCommand();
  const sizes = sizesFor(quick);
  const measured = (tasks: number) => {
    const rounds = tasks > smallMax || quick ? 1 : roundsOfSmall;
    return medianOf(Array.from({ length: rounds }, () => runPlan(tasks, lockstep.path)));
  };
  const first = measured(1);
  const runs = sizes.map((tasks) => ({ tasks, run: measured(tasks) }));
  const columns = [
    { key: "wall", unit: "time" },
    { key: "theirs", unit: "time" },
    { key: "beyond", unit: "time" },
    { key: "processes", unit: "count" },
    { key: "starting them", unit: "time" },
    { key: "own CPU", unit: "time" },
    { key: "growth", unit: "ratio" },
    { key: "peak memory", unit: "bytes" },
    { key: "÷ at a tenth", unit: "ratio" },
    { key: "÷ at 100", unit: "ratio" },
  ] as const;
  const rows = runs.map(({ tasks, run }) => rowOf(tasks, run, { first, runs }));
  return [{ title: "A run of instant agents, for each task after the first", columns, rows }];
}

function sizesFor(quick: boolean): readonly number[] {
  const { BENCH_TASKS: more } = process.env;
  if (quick) return [10, 40];
  return [10, 100, 1_000, ...(more === undefined ? [] : [Number(more)])];
}

interface All {
  readonly first: Run;
  readonly runs: readonly { readonly tasks: number; readonly run: Run }[];
}

function rowOf(tasks: number, run: Run, { first, runs }: All): Row {
  const perTask = (value: (run: Run) => number) => (value(run) - value(first)) / (tasks - 1);
  const own = perTask(ownCpu);
  const [smallest] = runs;
  const growth = own / ((ownCpu(smallest?.run ?? run) - ownCpu(first)) / ((smallest?.tasks ?? tasks) - 1));
  const hundred = runs.find((one) => one.tasks === smallMax)?.run.peakBytes;
  const memory = hundred === undefined || tasks < smallMax ? undefined : run.peakBytes / hundred;
  const flat = tasks > smallMax ? run.peakBytes / run.tenthBytes : undefined;
  const beyond = perTask(({ wallMs, childMs }) => wallMs - childMs);
  const goals: Goal[] = [atMost(beyond, beyondMsMax, "time")];
  if (tasks !== smallest?.tasks) goals.push(atMost(growth, growthMax, "ratio"));
  if (flat !== undefined) goals.push(atMost(flat, growthMax, "ratio"));
  return {
    name: `${tasks} tasks`,
    values: {
      wall: perTask(({ wallMs }) => wallMs),
      theirs: perTask(({ childMs }) => childMs),
      beyond,
      processes: Math.round(perTask(({ started }) => started) * 10) / 10,
      "starting them": perTask(({ startCpuMs }) => startCpuMs),
      "own CPU": own,
      growth,
      "peak memory": run.peakBytes,
      "÷ at a tenth": flat,
      "÷ at 100": memory,
    },
    goals,
  };
}

/** The CPU time of Lockstep's own process, without that of starting others. */
function ownCpu({ cpuMs, startCpuMs }: Run): number {
  return cpuMs - startCpuMs;
}

function medianOf(runs: readonly Run[]): Run {
  const of = (value: (run: Run) => number) => median(runs.map(value));
  return {
    wallMs: of(({ wallMs }) => wallMs),
    childMs: of(({ childMs }) => childMs),
    cpuMs: of(({ cpuMs }) => cpuMs),
    startCpuMs: of(({ startCpuMs }) => startCpuMs),
    started: of(({ started }) => started),
    tenthBytes: of(({ tenthBytes }) => tenthBytes),
    peakBytes: of(({ peakBytes }) => peakBytes),
  };
}

function runPlan(tasks: number, lockstep: string): Run {
  using repository = planRepository(tasks);
  const state = join(repository.path, ".git", "state");
  const told = join(repository.path, ".git", "time.json");
  const more = { XDG_STATE_HOME: state, CHILD_TIME: told, NODE_OPTIONS: `--import ${preload}` };
  const { status, stderr, error } = spawnSync(lockstep, ["run"], {
    cwd: repository.path,
    env: { ...childEnvironment(), ...more },
    maxBuffer: 1024 * 1024 * 1024,
  });
  if (error !== undefined) throw error;
  if (status !== 0)
    throw new Error(`a run of ${tasks} tasks ended with ${status}: ${String(stderr).slice(-2000)}`);
  return JSON.parse(readFileSync(told, "utf8"));
}
