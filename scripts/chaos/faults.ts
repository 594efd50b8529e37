import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Ground } from "./ground.ts";
import type { Machine } from "./machine.ts";

/** Something that goes wrong. The answer ends it, after `seconds`. */
interface Fault {
  readonly name: string;
  readonly weight: number;
  readonly secondsMax: number;
  begin(ground: Ground, machine: Machine): (() => void | Promise<void>) | undefined;
}

type Link = keyof Machine["links"];

const kill = (name: string, all: boolean): Fault => ({
  ...{ name, weight: 3, secondsMax: 20 },
  begin: (_ground, machine) => {
    machine.kill(all);
    return () => machine.start();
  },
});

const onLinks = (how: "cut" | "stall", links: readonly Link[]): Fault => ({
  ...{ name: `${how} ${links.join(" and ")}`, weight: 1, secondsMax: 90 },
  begin: (_ground, { links: all }) => {
    for (const link of links) all[link][how]();
    return () => {
      for (const link of links) all[link].join();
    };
  },
});

const faults: readonly Fault[] = [
  kill("kill the process", false),
  kill("kill the machine", true),
  {
    ...{ name: "freeze", weight: 2, secondsMax: 90 },
    begin: (_ground, machine) => {
      machine.freeze();
      return () => machine.thaw();
    },
  },
  ...(["cut", "stall"] as const).flatMap((how) => [
    onLinks(how, ["database"]),
    onLinks(how, ["remote"]),
    onLinks(how, ["database", "remote"]),
  ]),
  {
    ...{ name: "restart PostgreSQL", weight: 1, secondsMax: 8 },
    begin: ({ server }) => {
      server.stop("fast");
      return () => server.start();
    },
  },
  {
    ...{ name: "crash PostgreSQL", weight: 1, secondsMax: 8 },
    begin: ({ server }) => {
      server.stop("immediate");
      return () => server.start();
    },
  },
  {
    ...{ name: "a person pushes to the base", weight: 1, secondsMax: 0 },
    begin: ({ git }) => {
      for (let tries = 1; ; tries += 1) {
        const tip = git("rev-parse", "main");
        const commit = git("commit-tree", "-p", tip, "-m", "by a person", `${tip}^{tree}`);
        try {
          git("update-ref", "refs/heads/main", commit, tip);
          return undefined;
        } catch (error) {
          if (tries === 50) throw error; // a machine was pushing at the same time
        }
      }
    },
  },
  {
    ...{ name: "the remote refuses pushes", weight: 1, secondsMax: 20 },
    begin: ({ folder }) => {
      const hook = join(folder, "host", "remote.git", "hooks", "pre-receive");
      writeFileSync(hook, "#!/bin/sh\necho 'no space left on device' >&2\nexit 1\n");
      chmodSync(hook, 0o755);
      return () => rmSync(hook, { force: true });
    },
  },
];

/** The server and the remote belong to all machines, so one fault at a time is enough there. */
const sharedNames = new Set(["restart PostgreSQL", "crash PostgreSQL", "the remote refuses pushes"]);

interface Options {
  readonly end: AbortSignal;
  /** Between two faults, on average. */
  readonly everyMs: number;
  tell(line: string): void;
}

export interface Caused {
  readonly times: number;
  readonly seconds: number;
}

/** Faults at random until the signal; then all of them are over. Returns how often each began, and how long they lasted. */
export async function causeFaults(
  ground: Ground,
  random: () => number,
  { end, everyMs, tell }: Options,
): Promise<ReadonlyMap<string, Caused>> {
  const all = new Map<string, Caused>();
  const add = (name: string, { times, seconds }: Caused) => {
    const before = all.get(name) ?? { times: 0, seconds: 0 };
    all.set(name, { times: before.times + times, seconds: before.seconds + seconds });
  };
  const under = new Map<string, { readonly untilMs: number; stop(): void | Promise<void> }>();
  const stopDue = async (nowMs: number) => {
    for (const [key, { untilMs, stop }] of under) {
      if (untilMs > nowMs) continue;
      under.delete(key);
      await stop();
      tell(`over: ${key}`);
    }
  };
  let nextMs = performance.now();
  while (!end.aborted) {
    await stopDue(performance.now());
    if (performance.now() >= nextMs) {
      nextMs = performance.now() + 2 * everyMs * random();
      const fault = pick(random);
      const machine = ground.machines[Math.floor(random() * ground.machines.length)] as Machine;
      const key = sharedNames.has(fault.name) ? fault.name : `${machine.name}: ${fault.name}`;
      const seconds = fault.secondsMax * random() ** 2;
      const isBusy = [...under.keys()].some((one) => one === key || one.startsWith(`${machine.name}:`));
      const isServerDown = [...under.keys()].some((one) => one.endsWith("PostgreSQL"));
      const isRefused = sharedNames.has(fault.name) ? under.has(key) || isServerDown : isBusy;
      if (!isRefused) {
        tell(`${key}${fault.secondsMax > 0 ? ` for ${seconds.toFixed(1)} s` : ""}`);
        add(fault.name, { times: 1, seconds: 0 });
        const beganMs = performance.now();
        const end = fault.begin(ground, machine);
        const stop = async () => {
          await end?.();
          add(fault.name, { times: 0, seconds: (performance.now() - beganMs) / 1000 });
        };
        if (end !== undefined) under.set(key, { untilMs: beganMs + seconds * 1000, stop });
      }
    }
    await sleep(200);
  }
  await stopDue(Infinity);
  return all;
}

/** Each fault as often as its weight says. */
const urn = faults.flatMap((fault) => Array.from({ length: fault.weight }, () => fault));

function pick(random: () => number): Fault {
  return urn[Math.floor(random() * urn.length)] as Fault;
}
