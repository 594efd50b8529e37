import { describe, expect, it } from "vitest";
import type { Verdict } from "../../src/core/rules/verdict.ts";
import { packet } from "../support/memory-engine.ts";
import {
  eventually,
  type Repository,
  type Running,
  startProgram,
  temporaryRepository,
  verdictIn,
} from "../support/run-command.ts";

const leaseSeconds = 2;
const dayMs = 86_400_000;

describe.concurrent("a watchdog process", () => {
  it("reclaims expired leases, and nothing else", async () => {
    using repository = temporaryRepository();
    using watchdog = await watchIn(repository);
    const startedAt = performance.now();
    await dispatch(repository, "T-dead", { seconds: leaseSeconds });
    await dispatch(repository, "T-patient", { seconds: 600 });
    const found = await eventually("a reclaim", () => watchdog.found()[0]);
    expect(performance.now() - startedAt).toBeGreaterThan(leaseSeconds * 1000);
    expect(found).toMatchObject({
      code: "R-WD-001",
      details: { applied: [{ task_id: "T-dead", epoch: 1, end: "late", state: "BLOCKED" }] },
    });
    expect(await lookAt(repository, "T-dead")).toMatchObject({ state: "BLOCKED", code: "R-WD-001" });
    expect(await lookAt(repository, "T-patient")).toMatchObject({ state: "IN_PROGRESS" });
    await dispatch(repository, "T-next", { seconds: 600, scope: "T-dead" });
  });

  it("that was stopped for longer than every lease gives every task one more lease, then reclaims", async () => {
    using repository = temporaryRepository();
    using watchdog = await watchIn(repository);
    const tasks = ["T-1", "T-2", "T-3"];
    watchdog.process.kill("SIGSTOP");
    await Promise.all(tasks.map((task) => dispatch(repository, task, { seconds: 4 })));
    await eventually("the end of every lease", async () => {
      const leases = await Promise.all(tasks.map((task) => lookAt(repository, task)));
      return leases.every(({ alive }) => alive.lease === "lapsed") || undefined;
    });
    expect(watchdog.found()).toEqual([]);
    const continuedAt = performance.now();
    watchdog.process.kill("SIGCONT");
    await eventually("the message about the sleep", () => /slept/.exec(watchdog.errors())?.[0]);
    const found = await eventually("a reclaim", () => watchdog.found()[0]);
    expect(performance.now() - continuedAt).toBeGreaterThan(4000);
    expect(found.details).toMatchObject({ applied: tasks.map((task) => ({ task_id: task, end: "late" })) });
  });

  it.each(["SIGTERM", "SIGINT"] as const)("ends on %s with exit 0, and the leases stay", async (signal) => {
    using repository = temporaryRepository();
    await dispatch(repository, "T-1", { seconds: 600 });
    using watchdog = await watchIn(repository, { everySeconds: 3600 });
    watchdog.process.kill(signal);
    expect(await watchdog.ended).toMatchObject({ status: 0, signal: null, stdout: "" });
    expect(await lookAt(repository, "T-1")).toMatchObject({
      state: "IN_PROGRESS",
      alive: { lease: "running" },
    });
    expect(await repository.run(["audit", "verify"])).toMatchObject({ status: 0 });
  });

  it("detects that a runner was killed before the lease ends, and counts no retry", async () => {
    using repository = temporaryRepository();
    using watchdog = await watchIn(repository);
    using runner = startProgram(["sleep", "600"], { cwd: repository.path });
    const runnerPid = String(runner.process.pid);
    await dispatch(repository, "T-1", { seconds: 600, words: ["--runner", runnerPid] });
    await dispatch(repository, "T-2", { seconds: 600 });
    expect(verdictIn(await repository.run(["watchdog"]))).toMatchObject({ allow: true });
    runner.process.kill("SIGKILL");
    const found = await eventually("a reclaim", () => watchdog.found()[0]);
    expect(found.details).toMatchObject({ applied: [{ task_id: "T-1", end: "lost", state: "PENDING" }] });
    expect(await lookAt(repository, "T-1")).toMatchObject({
      state: "PENDING",
      reason: "runner_lost",
      retries: { block_retries: 0, review_retries: 0 },
    });
    expect(await lookAt(repository, "T-2")).toMatchObject({ state: "IN_PROGRESS" });
    await dispatch(repository, "T-1", { seconds: 600 });
  });
});

describe.concurrent("one tick", () => {
  it("with a later time reclaims, with an earlier time does not", async () => {
    using repository = temporaryRepository();
    await dispatch(repository, "T-1", { seconds: 600 });
    const [past, future] = [-dayMs, dayMs].map((byMs) => new Date(Date.now() + byMs).toISOString());
    expect(await repository.run(["watchdog", "--now", past as string])).toMatchObject({
      status: 0,
      stderr: "",
    });
    expect(await lookAt(repository, "T-1")).toMatchObject({ state: "IN_PROGRESS" });
    const run = await repository.run(["watchdog", "--now", future as string]);
    expect(run).toMatchObject({ status: 2, stderr: expect.stringContaining("R-WD-001") });
    expect(verdictIn(run).details).toMatchObject({ applied: [{ task_id: "T-1", state: "BLOCKED" }] });
    expect(await lookAt(repository, "T-1")).toMatchObject({ state: "BLOCKED", alive: { lease: "over" } });
  });

  it.each(["yesterday", "", "2026-13-01T00:00:00Z", "1234567890", "2026-01-01"])(
    "with the time `%s` is refused and does nothing",
    async (now) => {
      using repository = temporaryRepository();
      await dispatch(repository, "T-1", { seconds: 600 });
      const run = await repository.run(["watchdog", "--now", now]);
      expect(run).toMatchObject({ status: 2, stderr: expect.stringContaining("R-WD-002") });
      expect(verdictIn(run)).toMatchObject({ allow: false, code: "R-WD-002" });
      expect(await lookAt(repository, "T-1")).toMatchObject({ state: "IN_PROGRESS" });
    },
  );

  it.each([["0"], ["-1"], ["1.5"], ["soon"], ["1", "--now", "2026-01-01T00:00:00Z"]])(
    "with the interval `%s` is refused",
    async (...words) => {
      using repository = temporaryRepository();
      const run = await repository.run(["watchdog", "--every", ...words]);
      expect(run).toMatchObject({ status: 2, stderr: expect.stringContaining("R-IN-001") });
    },
  );
});

interface Watching extends Running {
  /** The verdicts of the ticks that changed something. */
  found(): Verdict[];
}

async function watchIn(repository: Repository, { everySeconds = 1 } = {}): Promise<Watching> {
  const running = repository.start(["watchdog", "--every", String(everySeconds)]);
  await eventually("a watchdog", () => /watching/.exec(running.errors())?.[0]);
  return { ...running, found: () => running.lines().map((line) => JSON.parse(line)) };
}

interface Dispatching {
  readonly seconds: number;
  readonly scope?: string;
  readonly words?: readonly string[];
}

async function dispatch(
  repository: Repository,
  task: string,
  { seconds, scope = task, words = [] }: Dispatching,
): Promise<void> {
  const assignment = { timeout_seconds: seconds, heartbeat_interval_seconds: 1 };
  const input = JSON.stringify(packet(task, [`src/${scope}`], { assignment }));
  const verdict = verdictIn(await repository.run(["dispatch", ...words], { input }));
  expect(verdict).toMatchObject({ allow: true, details: { task_id: task } });
}

async function lookAt(repository: Repository, task: string) {
  return JSON.parse((await repository.run(["task", "show", task, "--json"])).stdout);
}
