import type { Moment } from "../../src/core/leases/clock.ts";
import { field } from "../../src/core/values/fields.ts";
import { PeriodicWatchdog } from "../../src/engine/attempts/periodic-watchdog.ts";
import { GatedLedger } from "./gated-ledger.ts";
import type { Operation, SimProcess } from "./operation.ts";
import type { World } from "./world.ts";

export const periodMs = 15_000;

/** A process that checks the leases continuously, unless it is stopped for a while. */
class Watcher {
  readonly process: SimProcess;
  #watchdog: PeriodicWatchdog | undefined;
  #gate: GatedLedger | undefined;
  #last: Moment | undefined;
  busy = false;
  /** SIGSTOP, until SIGCONT. */
  stopped = false;

  constructor(process: SimProcess) {
    this.process = process;
  }

  /** Its memory is lost. */
  forget(): void {
    this.#watchdog = undefined;
    this.#last = undefined;
    this.busy = false;
  }

  isDue({ monoMs }: Moment): boolean {
    if (!this.process.alive || this.stopped || this.busy) return false;
    return this.#last === undefined || monoMs - this.#last.monoMs >= periodMs;
  }

  async tick(world: World, operation: Operation): Promise<unknown> {
    if (this.#watchdog === undefined || this.#gate === undefined) {
      this.#gate = new GatedLedger(world, operation);
      this.#watchdog = new PeriodicWatchdog(world.engineOver(this.#gate), periodMs);
    }
    this.#gate.operation = operation;
    const [last, now] = [this.#last, world.machine.now()];
    this.#last = now;
    const { verdict, slept } = await this.#watchdog.tick();
    if (slept !== hasSlept(last, now)) world.report([`a tick after a pause says slept: ${slept}`]);
    if (slept) world.report(endedInGrace(operation));
    return verdict;
  }
}

export class Watchdogs {
  readonly #world: World;
  readonly #watchers: Watcher[];

  constructor(world: World, count: number) {
    this.#world = world;
    this.#watchers = Array.from(
      { length: count },
      (_, index) => new Watcher({ name: `watchdog-${index + 1}`, alive: true }),
    );
  }

  get processes(): readonly SimProcess[] {
    return this.#watchers.map(({ process }) => process);
  }

  get due(): readonly Watcher[] {
    const now = this.#world.machine.now();
    return this.#watchers.filter((watcher) => watcher.isDue(now));
  }

  async tick(watcher: Watcher): Promise<void> {
    watcher.busy = true;
    const request = { name: "tick", input: {}, call: { role: "person" } } as const;
    await this.#world.begin(request, watcher.process, async (operation) => {
      try {
        return await watcher.tick(this.#world, operation);
      } finally {
        watcher.busy = false;
        if (!watcher.process.alive) watcher.forget();
      }
    });
  }

  disturb(): void {
    const watcher = this.#world.random.pick(this.#watchers);
    watcher.stopped = !watcher.stopped;
  }

  /** After a crash or a reboot. */
  restart(): void {
    for (const watcher of this.#watchers)
      if (!watcher.process.alive && !watcher.busy) {
        watcher.forget();
        watcher.process.alive = true;
      }
  }

  /** One of them remains, and it works. */
  get last(): Watcher {
    const [first] = this.#watchers as [Watcher];
    this.restart();
    first.stopped = false;
    return first;
  }
}

/** Computed without the engine's own code, on purpose: more than two periods were missed. */
function hasSlept(last: Moment | undefined, now: Moment): boolean {
  if (last === undefined) return false;
  const [wallMs, monoMs] = [now.wallMs - last.wallMs, now.monoMs - last.monoMs];
  return Math.max(monoMs, wallMs - monoMs) > 2 * periodMs + 1000;
}

/** After a sleep every attempt of this boot has a full lease. */
function* endedInGrace({ commits, begun }: Operation): Iterable<string> {
  for (const { events, before, now } of commits)
    for (const { task, type, data } of events) {
      const late = type === "task.denied" && field(field(data, "refusal"), "code") === "R-WD-001";
      const lease = before.attempts.get(task ?? "")?.lease;
      if (!late || lease?.boot !== now.boot) continue;
      if (now.monoMs - begun.now.monoMs <= lease.timeoutSeconds * 1000)
        yield `task \`${task}\` was ended right after a sleep`;
    }
}
