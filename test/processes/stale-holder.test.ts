import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Details, Verdict } from "../../src/core/rules/verdict.ts";
import type { Answer } from "../support/beating-agent.ts";
import { packet, result } from "../support/memory-engine.ts";
import {
  eventually,
  type Repository,
  startProgram,
  temporaryRepository,
  verdictIn,
} from "../support/run-command.ts";

const agentScript = fileURLToPath(new URL("../support/beating-agent.ts", import.meta.url));
const leaseSeconds = 3;

/** In the order in which the agent tries them. */
const everything = ["heartbeat", "submit", "complete", "release"];

describe.concurrent("an agent that is stopped for longer than its lease", () => {
  const named = ({ epoch }: Details) => ({ options: ["--epoch", String(epoch)], env: {} });
  const inEnvironment = (granted: Details) => ({ options: [], env: environmentOf("T-1", granted) });

  it.each([
    ["names its epoch, and another task has", named, "T-2"],
    ["has its epoch in the environment, and another task has", inEnvironment, "T-2"],
    ["names its epoch, and the next attempt has", named, "T-1"],
    ["has its epoch in the environment, and the next attempt has", inEnvironment, "T-1"],
  ] as const)("%s its lock: it continues and is refused", async (_, handOf, holder) => {
    using repository = temporaryRepository({ "result.json": JSON.stringify(result("T-1")) });
    const granted = await dispatch(repository, "T-1", { seconds: 600 });
    const { options, env } = handOf(granted.details ?? {});
    const words = [process.execPath, agentScript, "T-1", "result.json", ...options];
    using agent = startProgram(words, { cwd: repository.path, env });
    const answers = () => agent.lines().map((line): Answer => JSON.parse(line));
    await eventually("two heartbeats", () => answers()[1]);
    agent.process.kill("SIGSTOP");

    await reclaimLater(repository);
    const answered = answers();
    await handIn(repository, await dispatch(repository, holder, { seconds: 600, context_revision: 1 }));
    const before = await lookAt(repository, holder);
    agent.process.kill("SIGCONT");
    await agent.ended;

    expect(answered.filter(({ status }) => status !== 0)).toEqual([]);
    const tried = answers().slice(-everything.length);
    expect(tried.map(({ operation }) => operation)).toEqual(everything);
    for (const answer of tried) expectStale(answer, holder);
    expect(await lookAt(repository, holder)).toEqual(before);
    expect(await repository.run(["complete", holder])).toMatchObject({ status: 0 });
    expect(await repository.run(["reconcile"])).toMatchObject({ status: 0 });
  });
});

/**
 * Until the task is dispatched again its epoch is still the newest. Then the state of the task refuses a person's
 * `complete`, and a person's `release` finds nothing to release.
 */
function expectStale({ operation, ...answer }: Answer, holder: string): void {
  const verdict = verdictIn(answer);
  const isNewest = holder !== "T-1";
  if (isNewest && operation === "release" && verdict.allow) {
    expect(verdict.details).toMatchObject({ released: 0 });
    return;
  }
  const codes = isNewest && operation === "complete" ? ["R-LS-001", "R-ST-001"] : ["R-LS-001"];
  expect(codes, answer.stdout).toContain(verdict.code);
  expect(answer).toMatchObject({ status: 2, stderr: `lockstep: ${verdict.code}: ${verdict.reason}\n` });
}

describe.concurrent("a task that was dispatched again", () => {
  it("refuses its earlier attempt, even with values of the new one", async () => {
    using repository = temporaryRepository({ "result.json": JSON.stringify(result("T-1")) });
    const first = (await dispatch(repository, "T-1", { seconds: 600 })).details ?? {};
    expect(await repository.run(["release", "T-1"])).toMatchObject({ status: 0 });
    const second = (await dispatch(repository, "T-1", { seconds: 600 })).details ?? {};
    expect([first.epoch, second.epoch]).toEqual([1, 2]);
    const before = await lookAt(repository, "T-1");
    const hands: Hand[] = [
      { options: ["--epoch", "1"], env: {} },
      { options: [], env: environmentOf("T-1", first) },
      { options: [], env: environmentOf("T-1", { ...second, token: first.token }) },
      { options: ["--epoch", "2"], env: environmentOf("T-1", first) },
    ];
    const asked = [
      ["heartbeat", "T-1"],
      ["submit", "T-1", "result.json"],
      ["complete", "T-1"],
      ["release", "T-1"],
    ];
    for (const { options, env } of hands)
      for (const words of asked) {
        const run = await repository.run([...words, ...options], { env });
        expect(run, words.join(" ")).toMatchObject({
          status: 2,
          stderr: expect.stringContaining("R-LS-001"),
        });
        expect(verdictIn(run)).toMatchObject({ allow: false, code: "R-LS-001" });
      }
    expect(await lookAt(repository, "T-1")).toEqual(before);
    const env = environmentOf("T-1", second);
    expect(await repository.run(["heartbeat", "T-1"], { env })).toMatchObject({ status: 0 });
  });
});

describe.concurrent("without any watchdog", () => {
  it("a late heartbeat is refused, and the next dispatch takes the lock at once", async () => {
    using repository = temporaryRepository();
    await dispatch(repository, "T-1");
    await eventually("the end of the lease", async () =>
      (await lookAt(repository, "T-1")).lease === "lapsed" ? true : undefined,
    );
    for (const words of [
      ["heartbeat", "T-1", "--epoch", "1"],
      ["heartbeat", "T-1"],
    ]) {
      const run = await repository.run(words);
      expect(run).toMatchObject({ status: 2, stderr: expect.stringContaining("R-LS-001") });
      expect(verdictIn(run)).toMatchObject({ code: "R-LS-001", details: { current_epoch: 1 } });
    }
    expect(await lookAt(repository, "T-1")).toMatchObject({ state: "IN_PROGRESS", lease: "lapsed" });
    expect((await dispatch(repository, "T-2")).details).toMatchObject({ state: "IN_PROGRESS", epoch: 2 });
    expect(await lookAt(repository, "T-1")).toMatchObject({ state: "BLOCKED", code: "R-WD-001", locks: [] });
    expect(await repository.run(["reconcile"])).toMatchObject({ status: 0 });
  });
});

interface Hand {
  readonly options: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

function environmentOf(task: string, { epoch, token }: Details): Readonly<Record<string, string>> {
  return { LOCKSTEP_TASK: task, LOCKSTEP_EPOCH: String(epoch), LOCKSTEP_TOKEN: String(token) };
}

async function dispatch(
  repository: Repository,
  task: string,
  { seconds = leaseSeconds, ...more }: { seconds?: number; context_revision?: number } = {},
): Promise<Verdict> {
  const assignment = { timeout_seconds: seconds, heartbeat_interval_seconds: 1 };
  const input = JSON.stringify(packet(task, ["src"], { assignment, ...more }));
  const verdict = verdictIn(await repository.run(["dispatch"], { input }));
  expect(verdict).toMatchObject({ allow: true, details: { task_id: task } });
  return verdict;
}

/** A tick of the watchdog, as if every lease had expired long ago. */
async function reclaimLater(repository: Repository): Promise<void> {
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  expect(verdictIn(await repository.run(["watchdog", "--now", tomorrow]))).toMatchObject({
    code: "R-WD-001",
    details: { applied: [{ task_id: "T-1", state: "BLOCKED" }] },
  });
}

async function handIn(repository: Repository, { details }: Verdict): Promise<void> {
  const task = String(details?.task_id);
  repository.write(`worklogs/${task}.md`, "worked\n");
  const words = ["submit", task, "--epoch", String(details?.epoch)];
  const run = await repository.run(words, { input: JSON.stringify(result(task)) });
  expect(verdictIn(run)).toMatchObject({ allow: true, details: { state: "REVIEW" } });
}

/** Everything that another task could have done to this one. */
async function lookAt(repository: Repository, task: string): Promise<Details> {
  const shown = await repository.run(["task", "show", task, "--json"]);
  const listed = await repository.run(["lock", "list", "--json"]);
  const { state, epoch, attempts, code, commit, alive } = JSON.parse(shown.stdout);
  const { locks } = JSON.parse(listed.stdout) as { locks: { task_id: string; resource: string }[] };
  const own = locks.filter(({ task_id }) => task_id === task).map(({ resource }) => resource);
  return { state, epoch, attempts, code, commit, lease: alive.lease, locks: own };
}
