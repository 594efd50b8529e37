import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Verdict } from "../../src/core/rules/verdict.ts";
import { packet } from "../support/memory-engine.ts";
import { type CommandRun, type Repository, temporaryRepository, verdictIn } from "../support/run-command.ts";

/** Every two of them overlap: all contain `src/core/a.ts`. */
const overlapping = [
  "src",
  "src/core",
  "src/core/a.ts",
  "src/core/a.ts",
  "./src//core/../core",
  "**",
  "src/**",
  "src/core/**",
  "**/a.ts",
  "src/*/a.ts",
  "src/core/a.*",
  "*/core/a.ts",
];

describe.concurrent("twelve dispatches at the same moment", () => {
  it("for tasks whose scopes overlap have one winner, repeatedly", async () => {
    using repository = temporaryRepository();
    const packets = overlapping.map((scope, index) => packet(`T-${index}`, [scope]));
    for (let round = 1; round <= 3; round += 1) {
      const verdicts = await dispatchAll(repository, packets);
      const [winner, ...others] = won(verdicts);
      expect(others).toEqual([]);
      const lost = verdicts.filter(({ allow }) => !allow);
      expect(lost.map(({ code }) => code)).toEqual(Array(11).fill("R-PD-003"));
      expect(lost.map(({ details }) => details?.conflict_task_id)).toEqual(Array(11).fill(winner));
      expect(await statesIn(repository)).toEqual({ IN_PROGRESS: 1, BLOCKED: 11 });
      expect(await holdersIn(repository)).toEqual([winner]);
      expect(await repository.run(["release", winner as string])).toMatchObject({ status: 0 });
    }
    expect(await repository.run(["reconcile"])).toMatchObject({ status: 0 });
  });

  it("for one task have one winner, and it is started once", async () => {
    using repository = temporaryRepository();
    const verdicts = await dispatchAll(repository, Array(12).fill(packet("T-1", ["src"])));
    expect(won(verdicts)).toEqual(["T-1"]);
    expect(new Set(verdicts.map(({ code }) => code))).toEqual(new Set(["OK", "R-ST-001"]));
    const { stdout } = await repository.run(["task", "show", "T-1", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ state: "IN_PROGRESS", attempts: 1, epoch: 1 });
    expect(await repository.run(["reconcile"])).toMatchObject({ status: 0 });
  });

  it("for disjoint tasks all succeed, each with an epoch of its own", async () => {
    using repository = temporaryRepository();
    const packets = Array.from({ length: 12 }, (_, index) => packet(`T-${index}`, [`src/${index}`]));
    const verdicts = await dispatchAll(repository, packets);
    expect(won(verdicts)).toHaveLength(12);
    const epochs = verdicts.map(({ details }) => details?.epoch as number);
    expect(epochs.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    expect(new Set(verdicts.map(({ details }) => details?.token)).size).toBe(12);
  });
});

describe.concurrent("twelve first commands at the same moment", () => {
  it("all find or create the same ledger", async () => {
    using repository = temporaryRepository();
    const adding = Array.from({ length: 6 }, (_, index) => ["task", "add", `A-${index}`, "--scope", "lib"]);
    const looking = [["status"], ["lock", "list"], ["watchdog"], ["audit", "verify"]];
    const pausing = [["pause"], ["pause"]];
    const runs = await Promise.all([...adding, ...looking, ...pausing].map((words) => repository.run(words)));
    expect(runs.filter(({ status }) => status !== 0)).toEqual([]);
    expect(await statesIn(repository)).toEqual({ PENDING: 6 });
    expect(await repository.run(["reconcile"])).toMatchObject({ status: 0 });
  });
});

describe.concurrent("requests with the same key at the same moment", () => {
  it("are one change with one answer, including its token, even if there are twenty", async () => {
    using repository = temporaryRepository();
    const request = { words: ["dispatch", "--key", "once"], packet: packet("T-1", ["src"]) };
    const runs = await runAll(repository, Array(20).fill(request));
    expect(runs.filter(({ status }) => status !== 0)).toEqual([]);
    expect(new Set(runs.map(({ stdout }) => stdout)).size).toBe(1);
    expect(verdictIn(runs[0] as CommandRun).details).toMatchObject({
      attempt: 1,
      epoch: 1,
      token: expect.stringMatching(/^[\w-]{43}$/),
    });
    const { stdout } = await repository.run(["audit", "list", "--json"]);
    const types = (JSON.parse(stdout) as { type: string }[]).map(({ type }) => type);
    expect(types).toEqual(["task.created", "task.started"]);
  });

  it("are refused if their content differs", async () => {
    using repository = temporaryRepository();
    const requests = Array.from({ length: 6 }, (_, index) => ({
      words: ["dispatch", "--key", "once"],
      packet: packet(`T-${index}`, [`src/${index}`]),
    }));
    const runs = await runAll(repository, requests);
    expect(runs.map((run) => verdictIn(run).code).toSorted()).toEqual(["OK", ...Array(5).fill("R-IN-001")]);
    expect(await statesIn(repository)).toEqual({ IN_PROGRESS: 1 });
  });
});

interface Request {
  readonly words: readonly string[];
  readonly packet: unknown;
}

/** All have been started, and wait on stdin, when the first of them gets its packet. */
async function runAll(repository: Repository, requests: readonly Request[]): Promise<readonly CommandRun[]> {
  const started = requests.map(({ words }) => repository.start(words, { input: "later" }));
  await sleep(50 * requests.length);
  started.forEach(({ process: { stdin } }, index) => {
    stdin?.end(JSON.stringify(requests[index]?.packet));
  });
  return Promise.all(started.map(({ ended }) => ended));
}

async function dispatchAll(repository: Repository, packets: readonly unknown[]): Promise<readonly Verdict[]> {
  const runs = await runAll(
    repository,
    packets.map((one) => ({ words: ["dispatch"], packet: one })),
  );
  for (const { status, stdout, stderr } of runs)
    expect({ status, silent: stderr === "" }, stdout + stderr).toEqual(
      status === 0 ? { status: 0, silent: true } : { status: 2, silent: false },
    );
  return runs.map(verdictIn);
}

function won(verdicts: readonly Verdict[]): unknown[] {
  return verdicts.filter(({ allow }) => allow).map(({ details }) => details?.task_id);
}

async function statesIn(repository: Repository): Promise<Record<string, number>> {
  const { stdout } = await repository.run(["status", "--json"]);
  const { tasks } = JSON.parse(stdout) as { tasks: { state: string }[] };
  return Object.fromEntries(
    [...Map.groupBy(tasks, ({ state }) => state)].map(([state, all]) => [state, all.length]),
  );
}

async function holdersIn(repository: Repository): Promise<string[]> {
  const { stdout } = await repository.run(["lock", "list", "--json"]);
  const { locks } = JSON.parse(stdout) as { locks: { task_id: string }[] };
  return [...new Set(locks.map(({ task_id }) => task_id))];
}
