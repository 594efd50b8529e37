import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../bench/random.ts";
import type { LedgerEvent } from "../../src/ledger/ledger.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { packet, result } from "../support/memory-engine.ts";
import {
  type CommandRun,
  eventually,
  type Repository,
  type Running,
  startProgram,
  temporaryRepository,
  verdictIn,
} from "../support/run-command.ts";
import type { Acknowledged } from "../support/traffic.ts";

const traffic = fileURLToPath(new URL("../support/traffic.ts", import.meta.url));

const random = seededRandom(20_261_115);

/** The first two alone are more than a hundred. */
const kills = {
  drivers: { repositories: 2, rounds: 6, atOnce: 4 },
  commands: { lanes: 3, each: 18 },
  creations: 8,
};

describe("kill -9 of a process that changes the ledger continuously", () => {
  it("loses no acknowledged change and leaves no partial one", { timeout: 180_000 }, async () => {
    const { repositories, rounds, atOnce } = kills.drivers;
    for (let number = 1; number <= repositories; number += 1) {
      using repository = temporaryRepository();
      const acknowledged: Acknowledged[] = [];
      for (let round = 1; round <= rounds; round += 1) {
        const names = Array.from({ length: atOnce }, (_, index) => `R${round}-${index}`);
        await Promise.all(names.map((name) => killDriver(repository, { name, acknowledged })));
        await expectAgreement(repository);
      }
      expect(acknowledged.length).toBeGreaterThan(rounds);
      expect(await findLost(repository, acknowledged)).toEqual([]);
      await expectGoesOn(repository);
    }
  });
});

describe("a process that changes the ledger continuously", () => {
  it("causes no false alarm for readers", async () => {
    using repository = temporaryRepository();
    using driver = startProgram([process.execPath, traffic, "R"], { cwd: repository.path });
    await eventually("a hundred changes", () => driver.lines()[99]);
    for (let look = 1; look <= 3; look += 1) await expectAgreement(repository);
    expect(endOf(driver)).toBeUndefined();
    driver.process.kill("SIGKILL");
    await driver.ended;
  });
});

interface Driver {
  readonly name: string;
  readonly acknowledged: Acknowledged[];
}

/** One in six is killed while it starts. The others work on the same ledger all the while. */
async function killDriver(repository: Repository, { name, acknowledged }: Driver): Promise<void> {
  using driver = startProgram([process.execPath, traffic, name], { cwd: repository.path });
  if (random() < 1 / 6) await sleep(random() * 200);
  else await eventually("a first change", () => driver.lines()[0] ?? endOf(driver));
  await sleep(random() * 100);
  driver.process.kill("SIGKILL");
  const run = await driver.ended;
  expect(run, run.stderr).toMatchObject({ signal: "SIGKILL", stderr: "" });
  const lines = driver.lines().map((line): Acknowledged => JSON.parse(line));
  acknowledged.push(...lines);
  if (lines.length > 0) expect(await findLost(repository, lines)).toEqual([]);
}

function endOf({ process: { exitCode, signalCode } }: Running): string | undefined {
  return exitCode === null && signalCode === null ? undefined : "it ended";
}

/** Acknowledged changes that are missing in the ledger; the whole ledger is verified too. */
async function findLost(
  repository: Repository,
  acknowledged: readonly Acknowledged[],
): Promise<Acknowledged[]> {
  const ledger = await openSqliteLedger({ folder: ledgerFolder(repository), create: false });
  try {
    expect((await ledger.verify()).problems).toEqual([]);
    const stories = Map.groupBy(await ledger.events(), ({ task }) => task);
    const lost: Acknowledged[] = [];
    for (const one of acknowledged) {
      const attempt = await ledger.attempt(one.task);
      const { epoch = 0, beatAt = "", tokens = 0 } = attempt ?? {};
      const isKept = epoch === one.epoch && beatAt >= one.beatAt && tokens >= one.tokens;
      if (!isKept || stateAt(stories.get(one.task), one.seq) !== one.state) lost.push(one);
    }
    return lost;
  } finally {
    ledger.close();
  }
}

function stateAt(story: readonly LedgerEvent[] | undefined, seq: number): string | null | undefined {
  return story?.findLast((event) => event.seq <= seq && event.to !== null)?.to;
}

const operations = {
  dispatch: { from: ["none", "PENDING"], to: "IN_PROGRESS" },
  heartbeat: { from: ["IN_PROGRESS"], to: "IN_PROGRESS" },
  release: { from: ["IN_PROGRESS"], to: "PENDING" },
  submit: { from: ["IN_PROGRESS"], to: "REVIEW" },
  complete: { from: ["REVIEW"], to: "MERGED" },
} as const;
type Operation = keyof typeof operations;

describe("kill -9 of a command", () => {
  it("leaves the task before or after the change, and after it if the command had answered", {
    timeout: 180_000,
  }, async () => {
    using repository = temporaryRepository();
    mkdirSync(join(repository.path, "worklogs"));
    const { lanes, each } = kills.commands;
    await Promise.all(
      Array.from({ length: lanes }, async (_, lane) => {
        let number = 0;
        for (let killed = 0; killed < each; ) {
          if ((await stateOf(repository, `C${lane}-${number}`)) === "MERGED") number += 1;
          if (await killCommand(repository, `C${lane}-${number}`)) killed += 1;
        }
      }),
    );
    await expectAgreement(repository);
    await expectGoesOn(repository);
  });

  it("that creates the ledger leaves a usable one", async () => {
    const killed = await Promise.all(Array.from({ length: kills.creations }, killCreation));
    expect(killed.filter((was) => was).length).toBeGreaterThan(0);
  });
});

/** Whether it was killed: some end earlier. */
async function killCommand(repository: Repository, task: string): Promise<boolean> {
  const before = await stateOf(repository, task);
  const legal = (Object.keys(operations) as Operation[]).filter((name) =>
    (operations[name].from as readonly string[]).includes(before),
  );
  const operation = legal[Math.floor(random() * legal.length)] as Operation;
  if (operation === "submit") appendFileSync(join(repository.path, `worklogs/${task}.md`), "worked\n");
  const run = await killedSoon(repository, { operation, task });
  const after = await stateOf(repository, task);
  const { to } = operations[operation];
  expect([before, to], `${operation}: ${run.stdout}${run.stderr}`).toContain(after);
  if (run.stdout.endsWith("\n"))
    expect({ ...verdictIn(run).details, after }).toMatchObject({ state: to, after: to });
  else expect(run.signal).toBe("SIGKILL");
  expect(await findLost(repository, [])).toEqual([]);
  return run.signal === "SIGKILL";
}

async function killCreation(): Promise<boolean> {
  using repository = temporaryRepository();
  const run = await killedSoon(repository, { operation: "dispatch", task: "T-1" });
  await expectGoesOn(repository);
  await expectAgreement(repository);
  if (run.stdout.endsWith("\n")) expect(await stateOf(repository, "T-1")).toBe("IN_PROGRESS");
  return run.signal === "SIGKILL";
}

let usualMs = 150;

/** Most of a command's time is the start of Node, so the random moment is in its second half. */
function killedSoon(
  repository: Repository,
  { operation, task }: { operation: Operation; task: string },
): Promise<CommandRun> {
  const documents = { dispatch: packet(task, [`src/${task}`]), submit: result(task) } as const;
  const document = documents[operation as keyof typeof documents];
  const words = operation === "dispatch" ? ["dispatch"] : [operation, task];
  const startedAt = performance.now();
  const command = repository.start(words, document === undefined ? {} : { input: JSON.stringify(document) });
  setTimeout(() => command.process.kill("SIGKILL"), usualMs * (0.3 + random())).unref();
  return command.ended.then((run) => {
    if (run.signal === null) usualMs = (usualMs + performance.now() - startedAt) / 2;
    else usualMs *= 1.05;
    return run;
  });
}

async function stateOf(repository: Repository, task: string): Promise<string> {
  const folder = ledgerFolder(repository);
  const ledger = await openSqliteLedger({ folder, create: true });
  try {
    return (await ledger.task(task))?.state ?? "none";
  } finally {
    ledger.close();
  }
}

async function expectAgreement(repository: Repository): Promise<void> {
  const commands = [["reconcile"], ["audit", "verify"]].map((words) => repository.run(words));
  for (const run of await Promise.all(commands))
    expect(run, run.stdout).toMatchObject({ status: 0, stderr: "" });
}

async function expectGoesOn(repository: Repository): Promise<void> {
  const input = JSON.stringify(packet("T-last", ["last"]));
  const run = await repository.run(["dispatch"], { input });
  expect(verdictIn(run)).toMatchObject({ allow: true, details: { state: "IN_PROGRESS", attempt: 1 } });
}

function ledgerFolder({ path }: Repository): string {
  return join(path, ".git", "lockstep");
}
