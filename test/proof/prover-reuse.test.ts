import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { real } from "../../src/core/secrets/secret-samples.ts";
import { ledgerReuse } from "../../src/engine/landing/reuse-evidence.ts";
import { openMemoryLedger, openSqliteLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { type Proven, Prover, type ProverOptions } from "../../src/proof/prover.ts";
import { reuseInMemory } from "../../src/proof/reuse.ts";
import { machineClock } from "../../src/workspace/process/machine-clock.ts";
import { type ProvingGround, provingGround } from "../support/proving-ground.ts";
import { eventually, type Running, startProgram } from "../support/run-command.ts";
import { missing } from "../support/sandboxed.ts";

const script = fileURLToPath(new URL("../support/proving-process.ts", import.meta.url));

/** Counts its runs in a folder that it may write. */
const counting = 'echo run >> "$HOME/counts/runs"';
const runsOf = (ground: ProvingGround) => (ground.read("home/counts/runs") ?? "").split("run").length - 1;

function startProving(ground: ProvingGround, commands: readonly string[]): Running {
  const words = [JSON.stringify(ground.options), ground.place("main/.git/lockstep"), "main", ...commands];
  return startProgram([process.execPath, script, ...words], { cwd: ground.place("main"), env: ground.env });
}

async function prove(ground: ProvingGround, ...commands: readonly string[]): Promise<readonly Proven[]> {
  using process = startProving(ground, commands);
  const { status, stdout, stderr } = await process.ended;
  expect(status, stderr).toBe(0);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe("a pass", () => {
  it("is reused by another process, which reports it", async () => {
    using ground = provingGround();
    const [first] = await prove(ground, counting);
    const [second] = await prove(ground, counting);
    expect(first).toMatchObject({ reused: false, run: { exit: 0 } });
    expect(second).toEqual({ ...first, reused: true });
    expect(runsOf(ground)).toBe(1);
    const ledger = await openSqliteLedger({ folder: ground.place("main/.git/lockstep"), create: false });
    expect((await ledger.verify()).problems).toEqual([]);
    ledger.close();
  });

  it("that was acknowledged is reused even after a kill of the process", async () => {
    using ground = provingGround();
    using process = startProving(ground, [counting, "sleep 60"]);
    await eventually("the first pass", () => process.lines()[0]);
    process.process.kill("SIGKILL");
    await process.ended;
    expect(await prove(ground, counting, "true")).toMatchObject([{ reused: true }, { reused: false }]);
    expect(runsOf(ground)).toBe(1);
  });

  it("is valid for one tree, command, environment and set of untracked files; otherwise the check runs again", async () => {
    using ground = provingGround({ "a.txt": "a\n", "package-lock.json": "{}\n" });
    const ledger = await openMemoryLedger();
    const reuse = ledgerReuse({ ledger, clock: machineClock() });
    const options = { reuse, setup: [], envPass: ["PATH", "HOME", "LOCKSTEP_TEST_VARIABLE"] };
    const isReused = async (more: Partial<ProverOptions> = {}, command = counting) =>
      (await ground.check(command, { ...options, ...more })).reused;
    expect(await isReused()).toBe(false);
    expect(await isReused()).toBe(true);

    ground.write("main/.env", "A=1\n");
    expect(await isReused()).toBe(false);
    ground.write("main/.env", "A=2\n");
    expect(await isReused()).toBe(false);
    const env = ground.write("main/.env", "A=1\n");
    expect(await isReused()).toBe(true);
    chmodSync(env, 0o755);
    expect(await isReused()).toBe(false);
    chmodSync(env, 0o644);
    expect(await isReused()).toBe(true);

    process.env.LOCKSTEP_TEST_VARIABLE = "1";
    expect(await isReused()).toBe(false);
    delete process.env.LOCKSTEP_TEST_VARIABLE;
    expect(await isReused()).toBe(true);

    expect(await isReused({ setup: [["true"]] })).toBe(false);
    expect(await isReused({}, `${counting} # another`)).toBe(false);
    ground.write("main/package-lock.json", '{"lockfileVersion":3}\n');
    ground.commit();
    expect(await isReused()).toBe(false);
    ground.git("commit", "-q", "--allow-empty", "-m", "the same tree");
    expect(await isReused()).toBe(true);
    expect(runsOf(ground)).toBe(8);
    ledger.close();
  });

  it("is not valid after the program that the check starts was replaced", async () => {
    using ground = provingGround();
    const tool = (exit: number) =>
      chmodSync(ground.write("tools/mytool", `#!/bin/sh\n# ${exit}\nexit ${exit}\n`), 0o755);
    tool(0);
    process.env.PATH = `${ground.place("tools")}:${process.env.PATH}`;
    using prover = await Prover.open({ ...ground.options, reuse: reuseInMemory() });
    expect(await prover.run("HEAD", "mytool")).toMatchObject({ reused: false, run: { exit: 0 } });
    expect(await prover.run("HEAD", "mytool")).toMatchObject({ reused: true });
    tool(10);
    expect(await prover.run("HEAD", "mytool")).toMatchObject({ reused: false, run: { exit: 10 } });
  });

  it("is not valid in another kind of sandbox", async () => {
    using ground = provingGround();
    const reuse = reuseInMemory();
    const isReused = async (more: Partial<ProverOptions>) => {
      using prover = await Prover.open({ ...ground.options, reuse, ...more });
      return ((await prover.run("HEAD", "true")) as Proven).reused;
    };
    expect(await isReused({ sandbox: "off" })).toBe(false);
    expect(await isReused({ sandbox: "off" })).toBe(true);
    expect(await isReused({ sandbox: "off", home: [] })).toBe(false);
    if (!missing) expect(await isReused({ sandbox: "required" })).toBe(false);
  });

  it("of a check that gets the change is valid for that change only, and otherwise for the tree", async () => {
    using ground = provingGround();
    using prover = await Prover.open(ground.options);
    const isReused = async (changed?: readonly string[]) => {
      const change = changed && { base: "HEAD", changed };
      return ((await prover.run("HEAD", "cat a.txt", change)) as Proven).reused;
    };
    expect([await isReused(), await isReused()]).toEqual([false, true]);
    expect([await isReused(["a.txt"]), await isReused(["a.txt"])]).toEqual([false, true]);
    expect(await isReused(["b.txt"])).toBe(false);
    ground.write("main/a.txt", "another tree\n");
    ground.commit();
    expect([await isReused(["a.txt"]), await isReused()]).toEqual([false, true]);
  });

  it("has the list of its tests; if the list is truncated, the check runs again", async () => {
    const test = (body: string) => `import test from "node:test"; test("__proto__", () => { ${body} });`;
    using ground = provingGround({ "a.mjs": test(""), "early.mjs": test("process.exit(0)") });
    const [first] = await prove(ground, "node a.mjs");
    expect(first?.inventory).toMatchObject({ runners: ["node:test"], cut: null });
    expect(Object.keys(first?.inventory?.tests ?? {})).toEqual(["a.mjs > __proto__"]);
    const again = await prove(ground, "node a.mjs", "node early.mjs", "node early.mjs");
    expect(again[0]).toEqual({ ...first, reused: true });
    const cut = "node:test began early.mjs and did not finish";
    for (const run of again.slice(1))
      expect(run).toMatchObject({ reused: false, run: { exit: 0 }, inventory: { cut } });
  });

  it("after a failure is chance, and is not kept", async () => {
    using ground = provingGround();
    const ledger = await openMemoryLedger();
    const reuse = ledgerReuse({ ledger, clock: machineClock() });
    using prover = await Prover.open({ ...ground.options, reuse });
    const flaky = 'cd "$HOME/counts" && if rm ran; then exit 0; else touch ran; exit 1; fi';
    const change = { base: "HEAD", changed: ["a.txt"] };
    for (const exit of [1, 0, 1, 0])
      expect(await prover.run("HEAD", flaky, change)).toMatchObject({ reused: false, run: { exit } });
    using other = await Prover.open({ ...ground.options, reuse });
    for (const facts of [change, undefined])
      expect(await other.run("HEAD", flaky, facts)).toMatchObject({ reused: false });
    ledger.close();
  });

  it("needs no checkout, and one can be requested all the same", async () => {
    using ground = provingGround({ "package.json": "{}\n" });
    const ledger = await openMemoryLedger();
    const options = { ...ground.options, setup: [["mkdir", "node_modules"]] };
    const reuse = ledgerReuse({ ledger, clock: machineClock() });
    using prover = await Prover.open({ ...options, reuse });
    await prover.run("HEAD", "true");
    using other = await Prover.open({ ...options, reuse });
    expect(await other.run("HEAD", "true")).toMatchObject({ reused: true });
    expect(existsSync(join(other.folder, "package.json"))).toBe(false);
    const names = await other.inTree("HEAD", async (folder) => readdirSync(folder));
    expect(names).toEqual(expect.arrayContaining(["package.json", "node_modules"]));
    expect(await other.inTree("nowhere", async () => {})).toMatchObject({
      error: expect.stringContaining("`nowhere`"),
    });
    ledger.close();
  });
});

describe("a failure", () => {
  /** Fails as long as the file does not exist, which the prover does not know of. */
  const chance = 'test -e "$HOME/counts/lucky" || { echo "unlucky: exit 3"; exit 3; }';

  it("is remembered by every later process: a pass after it is not clean, and is not kept", async () => {
    using ground = provingGround();
    const [failed] = await prove(ground, chance);
    expect(failed).toMatchObject({ run: { exit: 3 } });
    ground.write("home/counts/lucky", "");
    for (const _process of [1, 2])
      expect(await prove(ground, chance)).toMatchObject([
        {
          reused: false,
          run: {
            exit: 0,
            earlier: {
              exit: 3,
              at: expect.stringMatching(/^20/),
              excerpt: "unlucky: exit 3",
              log: failed?.run.log,
            },
          },
        },
      ]);
    const ledger = await openSqliteLedger({ folder: ground.place("main/.git/lockstep"), create: false });
    expect((await ledger.verify()).problems).toEqual([]);
    ledger.close();
  });

  it("for another change on the same tree is remembered too; a new tree starts again", async () => {
    using ground = provingGround();
    const ledger = await openMemoryLedger();
    const reuse = ledgerReuse({ ledger, clock: machineClock() });
    using prover = await Prover.open({ ...ground.options, reuse });
    const change = { base: "HEAD", changed: ["a.txt"] };
    expect(await prover.run("HEAD", chance, change)).toMatchObject({ run: { exit: 3 } });
    ground.write("home/counts/lucky", "");
    ground.git("commit", "-q", "--allow-empty", "-m", "the same tree");
    using other = await Prover.open({ ...ground.options, reuse });
    for (const facts of [change, { base: "HEAD", changed: ["b.txt"] }, undefined])
      expect(await other.run("HEAD", chance, facts)).toMatchObject({
        reused: false,
        run: { exit: 0, earlier: { exit: 3 } },
      });
    ground.write("main/a.txt", "another tree\n");
    ground.commit();
    const afresh = (await other.run("HEAD", chance, change)) as Proven;
    expect(afresh.run).toMatchObject({ exit: 0 });
    expect(afresh.run.earlier).toBeUndefined();
    expect(await other.run("HEAD", chance, change)).toMatchObject({ reused: true });
    ledger.close();
  });

  it("with a cause on this machine is not remembered: a missing program may exist the next time", async () => {
    using ground = provingGround();
    const missing = '"$HOME/counts/tool"';
    expect(await prove(ground, missing)).toMatchObject([{ run: { exit: 127 } }]);
    chmodSync(ground.write("home/counts/tool", "#!/bin/sh\n"), 0o755);
    const [found] = await prove(ground, missing);
    expect(found?.run.exit).toBe(0);
    expect(found?.run.earlier).toBeUndefined();
    expect(await prove(ground, missing)).toMatchObject([{ reused: true }]);
  });

  it("keeps its whole output in a file, without secrets; a pass keeps none", async () => {
    using ground = provingGround();
    const secret = `${real("ghp<+>_")}${"aB3dE5".repeat(6)}`;
    const command = `echo first; echo "token ${secret}"; seq 3000; printf '\\033[31mred\\033[0m\\n'; exit 1`;
    const { run } = (await prove(ground, command, "echo fine"))[0] as Proven;
    const log = readFileSync(run.log ?? "", "utf8");
    expect(log.startsWith("first\ntoken [secret: github-token]\n1\n2\n")).toBe(true);
    expect(log.endsWith("3000\nred\n")).toBe(true);
    expect(run.log).toMatch(/\/main\/\.git\/lockstep\/logs\/checks\/[^/]+\.log$/);
    expect(readdirSync(ground.place("main/.git/lockstep/logs/checks"))).toHaveLength(1);
    expect(JSON.stringify(run)).not.toContain("aB3dE5");
  });

  it("by a timeout is reported, and one whose output cannot be kept is reported too", async () => {
    using ground = provingGround();
    ground.write("main/.git/lockstep/logs", "a file in the way");
    using prover = await Prover.open({ ...ground.options, checkMsMax: 200 });
    const { run } = (await prover.run("HEAD", "echo begun; sleep 60")) as Proven;
    expect(run.exit).toBe(null);
    expect(run.log).toBeUndefined();
    expect(run.excerpt).toMatch(
      /^begun\nthe check was ended after its time limit of 0\.2 s\n\(the whole output could not be kept: /,
    );
  });

  it("is repeated each time", async () => {
    using ground = provingGround();
    for (const round of [1, 2]) {
      expect(await prove(ground, `${counting}; exit 1`)).toMatchObject([{ reused: false, run: { exit: 1 } }]);
      expect(runsOf(ground)).toBe(round);
    }
  });

  it("is the result of a check on a full disk, whatever its exit code", async ({ skip }) => {
    using ground = provingGround();
    const why = whyNoMounts();
    if (why !== undefined) console.warn(`SKIPPED: a full disk is not tried: ${why}`);
    skip(why !== undefined);
    const fill = "head -c 50000000 /dev/zero >";
    const commands = [`${fill} big`, `${fill} big || true`, `${fill} "$TMPDIR/big" || true`, "true"];
    mkdirSync(ground.place("state"));
    const unsandboxed = { ...ground, options: { ...ground.options, sandbox: "off" } as const };
    const ledger = ground.place("main/.git/lockstep");
    const inside = [
      process.execPath,
      script,
      JSON.stringify(unsandboxed.options),
      ledger,
      "main",
      ...commands,
    ];
    const mounting = 'mount -t tmpfs -o size=4m none "$1" && shift && exec "$@"';
    const words = ["unshare", "-rm", "sh", "-c", mounting, "sh", ground.place("state"), ...inside];
    const { stdout, stderr } = await startProgram(words, { cwd: ground.place("main"), env: ground.env })
      .ended;
    const [failed, swallowed, temporary, good] = stdout.split("\n").map((line) => JSON.parse(line || "{}"));
    expect(failed, stderr).toMatchObject({
      run: { exit: 1, tail: expect.stringContaining("No space left") },
    });
    for (const one of [swallowed, temporary])
      expect(one).toMatchObject({
        run: { exit: null, tail: expect.stringContaining("the disk is full") },
      });
    expect(good).toMatchObject({ reused: false, run: { exit: 0 } });
    expect(await prove(unsandboxed, "true")).toMatchObject([{ reused: true }]);
    expect(await prove(unsandboxed, commands[1] as string)).toMatchObject([
      { reused: false, run: { exit: 0 } },
    ]);
  });
});

function whyNoMounts(): string | undefined {
  try {
    execFileSync("unshare", ["-rm", "sh", "-c", "mount -t tmpfs none /mnt"], { stdio: "pipe" });
    return undefined;
  } catch (error) {
    return (error as Error).message.trim().replaceAll("\n", " ");
  }
}
