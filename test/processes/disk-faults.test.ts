import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packet } from "../support/memory-engine.ts";
import {
  type CommandOptions,
  type CommandRun,
  eventually,
  type Repository,
  startProgram,
  temporaryRepository,
  verdictIn,
} from "../support/run-command.ts";
import { skipLoudly } from "../support/skip-loudly.ts";

const whyNoMounts = findWhyNoMounts();
skipLoudly("THE TESTS OF FULL AND READ-ONLY DISKS", whyNoMounts);

describe.skipIf(whyNoMounts !== undefined).concurrent("a read-only disk", () => {
  it("is reported as a refusal, and not as a crash", async () => {
    using repository = temporaryRepository();
    await dispatch(repository, "T-1");
    await using mounted = await mount(repository, "mount --bind . . && mount -o remount,bind,ro .");
    for (const words of [["heartbeat", "T-1"], ["release", "T-1"], ["watchdog"]]) {
      const run = await mounted.run(words);
      expect(run, words.join(" ")).toMatchObject({ status: 2, stderr: expect.stringContaining("read-only") });
      expect(verdictIn(run)).toMatchObject({ allow: false, code: "E-STORE", details: { retryable: false } });
    }
    expect(await mounted.run(["audit", "verify"])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^lockstep: E-STORE: .*read-only.*\n$/),
    });
    expect(await repository.run(["heartbeat", "T-1"])).toMatchObject({ status: 0 });
  });

  it("without a ledger cannot get one", async () => {
    using repository = temporaryRepository();
    await using mounted = await mount(repository, "mount --bind . . && mount -o remount,bind,ro .");
    const run = await mounted.run(["dispatch"], { input: JSON.stringify(packet("T-1", ["src"])) });
    expect(verdictIn(run)).toMatchObject({ code: "E-STORE", reason: expect.stringContaining("read-only") });
    expect(await mounted.run(["status"])).toMatchObject({ status: 0 });
  });
});

/** Fills three megabytes with a dozen dispatches. */
const notes = "what there is to know about this task ".repeat(2600);

describe.skipIf(whyNoMounts !== undefined).concurrent("a full disk", () => {
  it("refuses writes, serves commands that free space, and loses nothing", async () => {
    using repository = temporaryRepository();
    mkdirSync(join(repository.path, ".git/lockstep"), { mode: 0o700 });
    const script =
      "mount -t tmpfs -o size=3m,mode=700 none .git/lockstep && head -c 800000 /dev/urandom > .git/lockstep/junk";
    await using mounted = await mount(repository, script);
    await dispatch(mounted, "T-old");
    await dispatch(mounted, "T-dead", { assignment: { timeout_seconds: 2, heartbeat_interval_seconds: 1 } });
    const granted = await fill(mounted);
    expect(granted.length).toBeGreaterThan(3);

    await expectTasks(mounted, ["T-dead", "T-old", ...granted]);
    expect(verdictIn(await mounted.run(["release", "T-old"]))).toMatchObject({
      allow: true,
      details: { state: "PENDING", released: 2 },
    });
    await eventually("a reclaim", async () => {
      const verdict = verdictIn(await mounted.run(["watchdog"]));
      expect(["OK", "R-WD-001"]).toContain(verdict.code);
      return verdict.allow ? undefined : verdict;
    });
    expect(await mounted.run(["reconcile"])).toMatchObject({ status: 0 });

    await mounted.enter(["rm", ".git/lockstep/junk"]);
    await dispatch(mounted, "T-new");
    await expectTasks(mounted, ["T-dead", "T-new", "T-old", ...granted]);
    expect(await mounted.run(["reconcile"])).toMatchObject({ status: 0 });
    expect(await mounted.run(["audit", "verify"])).toMatchObject({ status: 0 });
  });

  it("does not keep the locks of the many expired leases", async () => {
    using repository = temporaryRepository();
    mkdirSync(join(repository.path, ".git/lockstep"), { mode: 0o700 });
    await using mounted = await mount(repository, "mount -t tmpfs -o size=3m,mode=700 none .git/lockstep");
    const granted = await fill(mounted);
    const later = new Date(Date.now() + 86_400_000).toISOString();
    const verdict = verdictIn(await mounted.run(["watchdog", "--now", later]));
    expect(verdict.code).toBe("R-WD-001");
    expect(verdict.details?.applied).toHaveLength(granted.length);
    expect(JSON.parse((await mounted.run(["lock", "list", "--json"])).stdout)).toEqual({ locks: [] });
  });
});

interface Mounted extends Pick<Repository, "run">, AsyncDisposable {
  enter(words: readonly string[]): Promise<CommandRun>;
}

/** Runs a script in the repository in a mount namespace of its own; its mounts are visible only in there. */
async function mount({ path, run }: Repository, script: string): Promise<Mounted> {
  const holder = startProgram(["unshare", "-rm", "sh", "-ec", `${script}; echo ready; exec cat`], {
    cwd: path,
    input: "later",
  });
  await eventually(`\`${script}\`: ${holder.errors()}`, () => holder.lines()[0]);
  const target = ["-t", String(holder.process.pid), `--wdns=${path}`];
  const through = ["nsenter", ...target, "-U", "-m", "--preserve-credentials"];
  return {
    run: (words: readonly string[], options: CommandOptions = {}) => run(words, { ...options, through }),
    enter: (words) => startProgram(words, { cwd: path, through }).ended,
    async [Symbol.asyncDispose]() {
      holder.process.stdin?.end();
      await holder.ended;
    },
  };
}

function findWhyNoMounts(): string | undefined {
  try {
    const script = "mount -t tmpfs none /mnt && nsenter --version";
    execFileSync("unshare", ["-rm", "sh", "-ec", script], { stdio: "pipe" });
    return undefined;
  } catch (error) {
    return (error as Error).message.trim().replaceAll("\n", " ");
  }
}

async function dispatch(where: Pick<Repository, "run">, task: string, more = {}): Promise<void> {
  const input = JSON.stringify(packet(task, [`src/${task}`], more));
  expect(verdictIn(await where.run(["dispatch"], { input }))).toMatchObject({ allow: true });
}

/** Dispatches until the disk is full; the tasks that were granted. */
async function fill(where: Pick<Repository, "run">): Promise<string[]> {
  const granted: string[] = [];
  for (let number = 10; number < 99; number += 1) {
    const task = `T-${number}`;
    const input = JSON.stringify(packet(task, [`src/${task}`], { assignment: { notes } }));
    const run = await where.run(["dispatch"], { input });
    const verdict = verdictIn(run);
    if (verdict.allow) {
      granted.push(task);
      continue;
    }
    expect(run).toMatchObject({ status: 2, stderr: expect.stringContaining("STORAGE_FULL") });
    expect(verdict).toMatchObject({ code: "E-STORE", details: { kind: "full", retryable: true } });
    return granted;
  }
  throw new Error("the disk did not fill up");
}

async function expectTasks(where: Pick<Repository, "run">, names: readonly string[]): Promise<void> {
  const { status, stdout, stderr } = await where.run(["status", "--json"]);
  expect(status, stderr).toBe(0);
  const { tasks } = JSON.parse(stdout) as { tasks: { id: string }[] };
  expect(tasks.map(({ id }) => id).toSorted()).toEqual(names.toSorted());
}
