import { type ChildProcessWithoutNullStreams, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ProcessIdentity } from "../../src/core/leases/process-identity.ts";
import { identityOf, isAlive, lookWithPs, readStat } from "../../src/workspace/process/process-identity.ts";

const linux = process.platform === "linux";
const source = new URL("../../src/workspace/process/process-identity.ts", import.meta.url).href;
const pidMax = 4_194_304; // Linux gives no number as high

interface Running extends AsyncDisposable {
  readonly pid: number;
  /** The next line that it writes. */
  line(): Promise<string>;
  say(text: string): void;
  end(): Promise<void>;
}

function start(command: string, words: readonly string[]): Running {
  const child: ChildProcessWithoutNullStreams = spawn(command, words);
  const ended = once(child, "exit");
  const end = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  return {
    pid: child.pid as number,
    line: async () => String((await once(child.stdout, "data"))[0]).trim(),
    say: (text) => void child.stdin.write(text),
    end,
    [Symbol.asyncDispose]: end,
  };
}

/** A parent that never waits for its child: a shell would, but it is `cat` by then. */
async function startNeglectful(): Promise<Running & { readonly child: number }> {
  const parent = start("sh", ["-c", "sleep 60 & echo $!; exec cat"]);
  const child = Number(await parent.line());
  parent.say("are you cat?\n");
  await parent.line();
  return { ...parent, child };
}

function known(pid: number): ProcessIdentity {
  const identity = identityOf(pid);
  if (identity === undefined) throw new Error(`there is no process ${pid}`);
  return identity;
}

describe("a process", () => {
  it("is alive until it ends", async () => {
    await using child = start("sleep", ["60"]);
    const identity = known(child.pid);
    expect(identity).toEqual({
      pid: child.pid,
      startedAt: identity.startedAt,
      boot: known(process.pid).boot,
    });
    expect(identityOf(child.pid)).toEqual(identity);
    expect(isAlive(identity)).toBe(true);
    await child.end();
    expect(isAlive(identity)).toBe(false);
    expect(identityOf(child.pid)).toBeUndefined();
  });

  it.each<[string, Partial<ProcessIdentity>]>([
    ["its pid belongs to one that started at another time", { startedAt: "1" }],
    ["the machine was booted since", { boot: "another boot" }],
    ["its pid is unused", { pid: pidMax }],
    ["its pid means this whole group", { pid: 0 }],
    ["its pid means all processes", { pid: -1 }],
    ["its pid is not a number", { pid: Number.NaN }],
  ])("is dead if %s", (_, altered) => {
    const self = known(process.pid);
    expect(isAlive(self)).toBe(true);
    expect(isAlive({ ...self, ...altered })).toBe(false);
  });

  it.each([0, -1, 1.5, Number.NaN, pidMax])("of pid %d has no identity", (pid) => {
    expect(identityOf(pid)).toBeUndefined();
  });

  it("is dead as a zombie, even if its pid is still in use", async () => {
    await using parent = await startNeglectful();
    const child = known(parent.child);
    expect(isAlive(child)).toBe(true);
    process.kill(child.pid, "SIGKILL");
    await expect.poll(() => isAlive(child)).toBe(false);
    expect(process.kill(child.pid, 0)).toBe(true);
  });

  it.runIf(linux)("keeps its identity with a name that looks like fields", async () => {
    const rename = `process.stdin.once("data", (name) => { process.title = String(name); console.log("renamed") })`;
    await using child = start(process.execPath, ["-e", rename]);
    const identity = known(child.pid);
    child.say(") Z 1 (2) X 3 ");
    await child.line();
    expect(readFileSync(`/proc/${child.pid}/comm`, "utf8")).toContain(") Z 1 (2) X 3 ");
    expect(identityOf(child.pid)).toEqual(identity);
    expect(isAlive(identity)).toBe(true);
  });

  const mount = "mount -t proc -o hidepid=2 proc /proc";
  const mayMount = linux && spawnSync("unshare", ["-m", "sh", "-c", mount]).status === 0;
  it.runIf(mayMount).each<[string, number, string]>([
    ["alive where /proc hides it", process.pid, "true"],
    ["dead where it is hidden and gone", pidMax, "false"],
  ])("counts as %s", (_, pid, alive) => {
    const script = `const { identityOf, isAlive } = await import(${JSON.stringify(source)});
      const { boot } = identityOf(process.pid);
      process.setgroups([]);
      process.setgid(65534);
      process.setuid(65534);
      console.log(identityOf(${pid}), isAlive({ pid: ${pid}, startedAt: "1", boot }))`;
    const inside = `${mount} && exec "$0" --input-type=module -e "$1"`;
    const words = ["-m", "sh", "-c", inside, process.execPath, script];
    expect(execFileSync("unshare", words, { encoding: "utf8" })).toBe(`undefined ${alive}\n`);
  });
});

describe("/proc/PID/stat", () => {
  const after = Array.from({ length: 40 }, (_, index) => index + 4).join(" "); // each field is its own number
  it.each<[string, string, ReturnType<typeof readStat>]>([
    ["a plain name", `7 (sh) S ${after}`, { startedAt: "22", ended: false }],
    ["a name with special characters", `7 (a) Z (b\n) S ${after}`, { startedAt: "22", ended: false }],
    ["a zombie", `7 (sh) Z ${after}`, { startedAt: "22", ended: true }],
    ["a dead one", `7 (sh) X ${after}`, { startedAt: "22", ended: true }],
    ["a stopped one", `7 (sh) T ${after}`, { startedAt: "22", ended: false }],
    ["nothing", "", "hidden"],
    ["half a line", "7 (sh) S 4 5", "hidden"],
  ])("of %s is read", (_, stat, seen) => {
    expect(readStat(stat)).toEqual(seen);
  });
});

describe.runIf(spawnSync("ps", ["-p", "1"]).status === 0)("ps, where there is no /proc", () => {
  it("distinguishes running, ended and unknown processes", async () => {
    await using parent = await startNeglectful();
    const { child } = parent;
    const startedAt = expect.stringMatching(/^\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}$/);
    expect(lookWithPs(child)).toEqual({ startedAt, ended: false });
    process.kill(child, "SIGKILL");
    await expect.poll(() => lookWithPs(child)).toEqual({ startedAt, ended: true });
    await parent.end();
    expect(lookWithPs(pidMax)).toBe("gone");
  });
});
