import { cpSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { seededRandom } from "../bench/random.ts";
import { causeFaults } from "./chaos/faults.ts";
import { type Ground, openGround } from "./chaos/ground.ts";
import { Judge } from "./chaos/judge.ts";
import { Progress } from "./chaos/progress.ts";

const usage = `usage: npm run chaos -- [--minutes N] [--tasks N] [--machines N] [--seed N] [--every SECONDS] [--keep FOLDER]
Several machines work on one plan, with a PostgreSQL server and a git remote between them, while processes are killed and
frozen, links are cut and stalled, and the server crashes, at random by seed. The agents spread their work over the N
minutes. After that the faults end, and the plan must come to its end. Checked throughout: every task is merged exactly
once, every commit of the base passes the project's check, no lock outlives its lease, the chain of events is whole.
Exit 1 if something does not hold.
--every: between two faults, on average. --keep: copies the logs of the machines to this folder.
`;

const { values: flags } = parseArgs({
  options: {
    minutes: { type: "string", default: "3" },
    tasks: { type: "string", default: "20" },
    machines: { type: "string", default: "2" },
    seed: { type: "string", default: "1" },
    every: { type: "string", default: "8" },
    keep: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

/** Without faults and without a further merge, the run is stuck after this time: several leases. */
const stuckMsMax = 300_000;

if (flags.help) process.stdout.write(usage);
else process.exitCode = await run();

async function run(): Promise<number> {
  const { minutes, tasks, machines, seed, every } = numbers();
  const random = seededRandom(seed);
  const startedMs = performance.now();
  const seconds = () => Math.round((performance.now() - startedMs) / 1000);
  const tell = (line: string) => process.stderr.write(`${String(seconds()).padStart(5)} s  ${line}\n`);
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  await using ground = await openGround({ machines, tasks, minutes }, random);
  const judge = new Judge(ground);
  for (const machine of ground.machines) machine.start();
  const end = new AbortController();
  const faults = causeFaults(ground, random, { end: end.signal, everyMs: every * 1000, tell });
  faults.catch(() => stop.abort()); // awaited below
  const untilMs = performance.now() + minutes * 60_000;
  const progress = new Progress();
  const following = { tasks, tell, progress };
  await follow(judge, { ...following, isOver: () => stop.signal.aborted || performance.now() > untilMs });
  end.abort();
  const caused = await faults;
  tell("no more faults");
  const calmMs = performance.now();
  const isStuck = () => performance.now() - Math.max(calmMs, progress.lastMs) > stuckMsMax;
  await follow(judge, { ...following, isOver: () => stop.signal.aborted || isStuck() });
  await settle(ground);
  await judge.judgeEnd(tasks);
  for (const words of [["audit", "verify"], ["reconcile"]]) await judge.judgeCommand(words);
  if (flags.keep !== undefined)
    for (const { name, log } of ground.machines) cpSync(log, join(flags.keep, `${name}.log`));
  const rows: readonly (readonly [string, string | number])[] = [
    ["seed", seed],
    ["machines", machines],
    ["tasks merged", `${await judge.merged()} of ${tasks}`],
    ["seconds", seconds()],
    ["commits of the base, all checked", judge.commits],
    ["longest time without a merge", progress.longest],
    ["faults", [...caused.values()].reduce((sum, { times }) => sum + times, 0)],
    ...[...caused]
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([name, { times, seconds }]) => [name, `${times}, ${Math.round(seconds)} s`] as const),
    ...ground.machines.map(({ name, ends }) => [`ends of ${name}`, tally(ends)] as const),
    ["violations", judge.violations.length],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, value] of rows) console.log(`${name.padEnd(width)}  ${value}`);
  for (const violation of judge.violations) console.log(`VIOLATION: ${violation}`);
  return judge.violations.length === 0 ? 0 : 1;
}

function numbers() {
  const read = (name: "minutes" | "tasks" | "machines" | "seed" | "every") => {
    const value = Number(flags[name]);
    if (Number.isFinite(value) && value > 0) return value;
    process.stderr.write(`--${name} takes a number above 0, not \`${flags[name]}\`\n`);
    process.exit(2);
  };
  return {
    minutes: read("minutes"),
    tasks: read("tasks"),
    machines: read("machines"),
    seed: read("seed"),
    every: read("every"),
  };
}

interface Following {
  readonly tasks: number;
  readonly progress: Progress;
  tell(line: string): void;
  isOver(): boolean;
}

/** Judges again and again until all tasks are merged, or it is over. */
async function follow(judge: Judge, { tasks, progress, tell, isOver }: Following): Promise<void> {
  for (;;) {
    await judge.judgeBase();
    const merged = await judge
      .judgeLocks()
      .then(() => judge.merged())
      .catch(() => 0); // the server is down
    if (progress.see(merged)) tell(`${merged} of ${tasks} merged`);
    if (merged === tasks || isOver()) return;
    await sleep(2_000);
  }
}

/** Lets every machine end by itself. */
async function settle({ machines }: Ground): Promise<void> {
  for (const machine of machines) machine.rest();
  const untilMs = performance.now() + 60_000;
  while (machines.some(({ isUp }) => isUp) && performance.now() < untilMs) await sleep(100);
}

function tally(ends: readonly string[]): string {
  const groups = Map.groupBy(ends, (end) => end);
  return [...groups].map(([end, all]) => `${end} × ${all.length}`).join(", ");
}
