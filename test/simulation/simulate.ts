import { problemsOf, stuckIn } from "./check-end.ts";
import { drain } from "./drain.ts";
import type { Fault } from "./operation.ts";
import { leaseSecondsMax } from "./packets.ts";
import { type PlantName, plants } from "./plants.ts";
import { count, type Statistics } from "./statistics.ts";
import { periodMs } from "./watchdogs.ts";
import { World } from "./world.ts";

export const stepsDefault = 400;
/** The interval of seeds after which all tasks are completed. */
const drainShare = 0.3;
const operationsMax = 5;
const queueMax = 6;

interface Options {
  readonly steps?: number;
  readonly plant?: PlantName;
}

interface Failure {
  readonly problem: string;
  readonly step: number;
  readonly trace: readonly string[];
}

export interface Outcome {
  readonly seed: number;
  readonly statistics: Statistics;
  readonly failure?: Failure;
}

/** Runs all actors for a number of steps, then stops the faults and checks the result. */
export async function simulate(
  seed: number,
  { steps = stepsDefault, plant = "none" }: Options = {},
): Promise<Outcome> {
  const world = await World.open(seed, plants[plant]);
  const { statistics, problems, trace, invariants } = world;
  const chaos = world.random.pick([0, 0.005, 0.02]);
  let step = 0;
  try {
    for (; step < steps && problems.length === 0; step += 1) await takeStep(world, chaos);
    if (problems.length === 0) await calmDown(world);
    if (problems.length === 0) world.report(stuckIn(world));
    if (problems.length === 0) world.report(await problemsOf(world));
    if (problems.length === 0 && world.random.chance(drainShare)) await drain(world);
  } finally {
    world.ledger.close();
  }
  statistics.seeds = 1;
  statistics.steps = step;
  statistics.checks = invariants.checks;
  const [problem] = problems;
  if (problem === undefined) return { seed, statistics };
  return { seed, statistics, failure: { problem, step, trace } };
}

async function takeStep(world: World, chaos: number): Promise<void> {
  const { random, operations, queue, processes, watchdogs, plant } = world;
  const due = plant.noWatchdog ? [] : watchdogs.due;
  const alive = processes.filter((process) => process.alive);
  const mayStart = queue.length > 0 && operations.length < operationsMax && alive.length > 0;
  const step = random.weighted<() => Promise<void> | void>([
    [operations.length * 25, () => advanceOne(world, chaos)],
    [mayStart ? 25 : 0, () => deliverOne(world)],
    [queue.length < queueMax ? 15 : 0, () => act(world)],
    [5, () => world.machine.pass(random.whole(1, 6) * 1000)],
    [due.length > 0 ? 6 : 0, () => watchdogs.tick(random.pick(due))],
    [alive.length < processes.length ? 6 : 0, () => restart(world)],
    [chaos === 0 ? 0.5 : 2, () => disturb(world, chaos)],
  ]);
  await step();
}

async function advanceOne(world: World, chaos: number): Promise<void> {
  const { random, operations } = world;
  const operation = random.pick(operations);
  await world.advance(operation, faultAt(operation.point, world, chaos));
}

/** The named crash points. */
function faultAt(point: string | undefined, { random }: World, chaos: number): Fault | undefined {
  if (point === "prove" || point === "pause" || !random.chance(point === "commit" ? chaos * 3 : chaos * 0.2))
    return undefined;
  if (point !== "commit") return "before-read";
  return random.pick(["before-commit", "after-commit", "after-commit", "conflict", "full"] as const);
}

/** Requests overtake each other, and some are delivered twice. */
async function deliverOne(world: World): Promise<void> {
  const { random, queue, processes } = world;
  const at = random.chance(0.7) ? 0 : random.whole(0, queue.length - 1);
  const [request] = random.chance(0.08) ? queue.slice(at, at + 1) : queue.splice(at, 1);
  const process = random.pick(processes.filter(({ alive }) => alive));
  if (request !== undefined) await world.deliver(request, process);
}

async function act(world: World): Promise<void> {
  const { random, agents, orchestrators, plant } = world;
  if (random.chance(0.04) && plant.noWatchdog !== true)
    return world.send({ name: "watchdog", input: {}, call: { role: "person" } });
  const request = random.chance(0.65) ? agents.act() : undefined;
  world.send(request ?? (await orchestrators.act()));
}

function restart({ processes, watchdogs, operations }: World): void {
  for (const process of processes)
    if (!operations.some((one) => one.process === process)) process.alive = true;
  watchdogs.restart();
}

async function disturb(world: World, chaos: number): Promise<void> {
  const { random, machine, agents, watchdogs, operations } = world;
  const some = chaos > 0 ? 1 : 0;
  const name = random.weighted([
    [4, "wake"],
    [2 * some, "stop watchdog"],
    [1.5, "silence"],
    [some, "wall ahead"],
    [some, "wall back"],
    [some, "machine asleep"],
    [2 * some, "kill runner"],
    [2 * some, "kill process"],
    [2 * some, "storm"],
    [0.4 * some, "reboot"],
  ] as const);
  world.note(`~ ${name}`);
  count(world.statistics.faults, name);
  if (name === "wake") agents.wake();
  else if (name === "stop watchdog") watchdogs.disturb();
  else if (name === "silence") machine.pass(random.whole(10, leaseSecondsMax + 10) * 1000);
  else if (name === "wall ahead") machine.jumpAhead();
  else if (name === "wall back") machine.jumpBack();
  else if (name === "machine asleep") machine.sleep(random.whole(30, 4000) * 1000);
  else if (name === "kill runner" && machine.pids.length > 0) machine.kill(random.pick(machine.pids));
  else if (name === "kill process" && operations.length > 0)
    await world.crash(random.pick(operations).process);
  else if (name === "storm" && operations.length > 0) random.pick(operations).storm = random.whole(1, 8);
  else if (name === "reboot") await reboot(world);
}

async function reboot(world: World): Promise<void> {
  for (const process of [...world.processes, ...world.watchdogs.processes]) await world.crash(process);
  world.agents.killAll();
  world.queue.length = 0;
  world.machine.reboot();
  restart(world);
}

/** INV-7: the faults stop, all actors become silent, and one watchdog remains for two lease times. */
async function calmDown(world: World): Promise<void> {
  const { random, operations, queue, agents, machine, watchdogs, plant } = world;
  world.note("~ calm");
  world.calm = true;
  queue.length = 0;
  agents.killAll();
  const abruptly = random.chance(0.5);
  while (operations.length > 0 && world.problems.length === 0) {
    const operation = random.pick(operations);
    operation.storm = 0;
    await (abruptly ? world.crash(operation.process) : world.advance(operation));
  }
  if (world.problems.length > 0) return;
  restart(world);
  const watcher = watchdogs.last;
  for (let passedMs = 0; passedMs < 2 * leaseSecondsMax * 1000; passedMs += periodMs) {
    machine.pass(periodMs);
    if (plant.noWatchdog === true) continue;
    await watchdogs.tick(watcher);
    while (operations.length > 0) await world.advance(operations[0] as (typeof operations)[number]);
    if (world.problems.length > 0) return;
  }
}

/** The violation, how to reproduce it, and the steps that led to it. */
export function describeFailure(
  { seed, failure }: Outcome,
  { steps = stepsDefault, plant = "none" }: Options = {},
): string {
  if (failure === undefined) return `seed ${seed} is fine`;
  const flags = `${steps === stepsDefault ? "" : ` --steps ${steps}`}${plant === "none" ? "" : ` --plant ${plant}`}`;
  return [
    ...failure.trace,
    `seed ${seed} broke in step ${failure.step}: ${failure.problem}`,
    `see it again: node scripts/sim.ts --seed ${seed}${flags}`,
  ].join("\n");
}
