import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { cuttingProxy } from "../support/cutting-proxy.ts";
import { type Fleet, fleet, unsandboxed, worker } from "../support/fleet.ts";
import { gitDaemon } from "../support/git-daemon.ts";
import { closeDatabases } from "../support/ledger-databases.ts";
import { machineNetwork, noNetworks } from "../support/machine-network.ts";
import { answer, task, writes } from "../support/planned-repository.ts";
import { eventually } from "../support/run-command.ts";

afterAll(closeDatabases);

const leaseSeconds = 20;
/** The agent stops ten seconds before its end, later than a command would fail. */
const waitedLeaseSeconds = 45;

/** Its first attempt talks and never ends; the next one does its work. */
const stuckOnce = (id: string, mark: string) => [
  [`run: { command: 'while true; do echo ${mark}; sleep 0.5; done' }`, answer("OK")],
  [writes(id), answer("OK")],
];
const farTask = (id: string, more = "") => task(id, `a${id}`, `, label: far${more}`);
/** So short that a test can wait until the agent stops by itself. */
const shortLease = `, timeout_seconds: ${leaseSeconds}`;
/** Longer than a machine can be silent, and much shorter than the lease of a task is by default. */
const silentSeconds = 150;

/** The processes of all agents on this computer whose command has the mark. */
function atWork(mark: string): number {
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return ids.filter((pid) => {
    try {
      return (
        readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("sh\0-c\0") && commandOf(pid).includes(mark)
      );
    } catch {
      return false; // it has ended
    }
  }).length;
}

const commandOf = (pid: string) => readFileSync(`/proc/${pid}/cmdline`, "utf8");

/** The ledger's time never goes back, so this is how a test lets it pass. */
const pass = ({ database }: Fleet, seconds: number) =>
  database.raw(
    `UPDATE lockstep.clock SET ms = greatest(ms, extract(epoch FROM now()) * 1000) + ${seconds * 1000}`,
  );

async function expectEachOnce(all: Fleet, ids: readonly string[]) {
  const merged = await all.database.raw("SELECT task FROM lockstep.events WHERE type = 'task.merged'");
  expect(merged).toHaveLength(ids.length);
  for (const id of ids)
    expect(all.subjects().filter((subject) => subject.startsWith(`${id}: `))).toHaveLength(1);
  expect(await all.database.raw("SELECT task FROM lockstep.locks WHERE active")).toEqual([]);
  expect((await all.first.run(["audit", "verify"])).status).toBe(0);
}

describe("machines that are killed (M-1)", { timeout: 180_000 }, () => {
  it("a worker and then the conductor: the machine that is left merges every task once", async () => {
    const mark = `m1-${process.pid}`;
    const ids = ["A", "B"];
    await using all = await fleet({
      agents: { aA: stuckOnce("A", mark), aB: [[writes("B"), answer("OK")]] },
      tasks: [farTask("A"), farTask("B", ", depends_on: [A]")],
    });
    using first = worker(all, all.join("one"), "--slots", "1", "--label", "far");
    await eventually("a slot", async () => (await all.status()).machines?.find(({ slots }) => slots === 1));
    using conductor = all.first.start(["run", "--json"]);
    await eventually("the agent works", () => atWork(mark) > 0 || undefined);
    first.process.kill("SIGKILL");
    await first.ended;
    conductor.process.kill("SIGKILL");
    await conductor.ended;
    await eventually("the agent is gone with its machine", () => atWork(mark) === 0 || undefined);
    using left = worker(all, all.join("other"), "--slots", "1", "--label", "far");
    await eventually("another slot", () => left.errors().includes("1 slot") || undefined);
    await pass(all, silentSeconds);
    const merged = async () => {
      const { tasks } = await all.status();
      return tasks.length === 2 && tasks.every(({ state }) => state === "MERGED") ? true : undefined;
    };
    await eventually("all are merged", merged, 90_000);
    left.process.kill("SIGINT");
    const { status, stderr } = await left.ended;
    expect(status, stderr).toBe(0);
    await expectEachOnce(all, ids);
  });
});

describe("a machine that is cut off for longer than a lease (M-4)", { timeout: 180_000 }, () => {
  it.skipIf(noNetworks)(
    "stops its agent before the lease ends, and the task lands under a new attempt",
    async () => {
      const mark = `m4-${process.pid}`;
      await using all = await fleet({
        agents: { aA: stuckOnce("A", mark) },
        tasks: [farTask("A", shortLease)],
      });
      using network = machineNetwork();
      await using daemon = await gitDaemon(dirname(all.remote.path));
      await using toRemote = await cuttingProxy(daemon.port, network.host);
      await using toDatabase = await cuttingProxy(all.database.server.port, network.host);
      const url = new URL(all.database.url);
      url.host = `${network.host}:${toDatabase.port}`;
      const repo = `git://${network.host}:${toRemote.port}/remote.git`;
      const words = ["worker", "--repo", repo, "--slots", "1", "--label", "far", ...unsandboxed()];
      using cutOff = all.join("far", { url: url.href }).start(words, { through: network.through });
      await eventually("a slot", async () => (await all.status()).machines?.find(({ slots }) => slots === 1));
      using running = all.first.start(["run", "--json"]);
      await eventually("the agent works", () => atWork(mark) > 0 || undefined);
      using near = worker(all, all.join("near"), "--slots", "1", "--label", "far");
      network.cut();
      await eventually("the agent is stopped", () => atWork(mark) === 0 || undefined, 60_000);
      const [attempt] = await all.database.raw(
        `SELECT a.lease_state, greatest(c.ms, extract(epoch FROM clock_timestamp()) * 1000)
         < (a.body::json->'lease'->>'beatMs')::bigint + ${leaseSeconds * 1000} AS runs
       FROM lockstep.attempts a, lockstep.clock c`,
      );
      expect(attempt, cutOff.errors()).toEqual({ lease_state: "running", runs: true });
      await pass(all, leaseSeconds);
      const { status, stdout, stderr } = await running.ended;
      expect(status, `${stderr}\n${near.errors()}`).toBe(0);
      expect(JSON.parse(stdout).tasks).toMatchObject([{ id: "A", state: "MERGED", attempts: 2 }]);
      const before = all.remote.ref("refs/heads/main");
      network.join();
      cutOff.process.kill("SIGINT");
      await cutOff.ended;
      expect(all.remote.ref("refs/heads/main")).toBe(before);
      await expectEachOnce(all, ["A"]);
    },
  );
});

describe("a worker that cannot reach the ledger for longer than a command waits (M-3)", {
  timeout: 300_000,
}, () => {
  it("stops its agent in time, stays, says so once, and does the task again", async () => {
    const mark = `m3-${process.pid}`;
    await using all = await fleet({
      agents: { aA: stuckOnce("A", mark) },
      tasks: [farTask("A", `, timeout_seconds: ${waitedLeaseSeconds}`)],
    });
    await using toDatabase = await cuttingProxy(all.database.server.port);
    const url = new URL(all.database.url);
    url.host = `127.0.0.1:${toDatabase.port}`;
    using cutOff = worker(all, all.join("far", { url: url.href }), "--slots", "1", "--label", "far");
    await eventually("a slot", async () => (await all.status()).machines?.find(({ slots }) => slots === 1));
    using running = all.first.start(["run", "--json"]);
    await eventually("the agent works", () => atWork(mark) > 0 || undefined, 90_000);
    toDatabase.cut();
    await eventually("the agent is stopped", () => atWork(mark) === 0 || undefined, 60_000);
    toDatabase.join();
    const { status, stdout, stderr } = await running.ended;
    expect(status, `${stderr}\n${cutOff.errors()}`).toBe(0);
    expect(JSON.parse(stdout).tasks).toMatchObject([{ id: "A", state: "MERGED", attempts: 2 }]);
    cutOff.process.kill("SIGINT");
    const ended = await cutOff.ended;
    expect(ended.status, ended.stderr).toBe(0);
    expect(ended.stderr.match(/waiting:|answers again/g)).toEqual(["waiting:", "answers again"]);
    await expectEachOnce(all, ["A"]);
  });
});

describe("a remote that refuses for a while (M-8)", { timeout: 180_000 }, () => {
  it("ends a run with the reason; the worker that conducts then asks again until it is merged", async () => {
    await using all = await fleet({
      agents: { aA: [[writes("A"), answer("OK")]] },
      tasks: [task("A", "aA")],
    });
    const protects = 'case $1 in refs/heads/main) echo "closed for now" >&2; exit 1;; esac';
    all.remote.hook("update", protects);
    using other = worker(all, all.join("other"), "--slots", "1");
    await eventually("a slot", async () => (await all.status()).machines?.find(({ slots }) => slots === 1));
    const ran = await all.first.run(["run", "--json"]);
    expect(ran.status, ran.stderr).toBe(3);
    expect(ran.stderr).toContain("`origin` refuses the push: closed for now");
    await eventually(
      "the worker is refused too",
      () => other.errors().includes("refuses the push") || undefined,
    );
    all.remote.unhook("update");
    const isMerged = async () =>
      (await all.status()).tasks.every(({ state }) => state === "MERGED") || undefined;
    await eventually("it is merged", isMerged, 60_000);
    await expectEachOnce(all, ["A"]);
  });
});
