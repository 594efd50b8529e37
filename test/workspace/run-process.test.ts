import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ProcessRun, runProcess } from "../../src/workspace/process/run-process.ts";
import { isHeld } from "../support/held-file.ts";
import { eventually } from "../support/run-command.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const { PATH = "" } = process.env;
const shell = (script: string, more: Partial<ProcessRun> = {}) =>
  runProcess({ command: ["sh", "-c", script], cwd: "/", env: { PATH }, msMax: 30_000, ...more });
const sha256 = (data: string | Buffer) => `sha256:${createHash("sha256").update(data).digest("hex")}`;
const openDescriptors = () => readdirSync("/proc/self/fd").length;
/** Pipes for the next runs are created several at a time. */
const spare = 16;

describe("a process", () => {
  it("is reported with its exit code, its time and its output", async () => {
    const { seconds, ...rest } = await shell("printf 'one\\n'; sleep 0.2; exit 3");
    expect(rest).toEqual({
      exit: 3,
      signal: null,
      timedOut: false,
      aborted: false,
      digest: sha256("one\n"),
      tail: "one\n",
      outputBytes: 4,
    });
    expect(seconds).toBeGreaterThan(0.19);
    expect(seconds).toBeLessThan(20);
  });

  it("keeps the order of stdout and stderr", async () => {
    const lines = Array.from({ length: 200 }, (_, at) => `out ${at}\nerr ${at}\n`).join("");
    const script = "i=0; while [ $i -lt 200 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done";
    const { digest } = await shell(script);
    expect(digest).toBe(sha256(lines));
  });

  it("can open its output and input again by their names in /dev", async () => {
    const { tail } = await shell("echo a > /dev/stderr; echo b > /dev/stdout; cat /dev/stdin", {
      input: "c\n",
    });
    expect(tail).toBe("a\nb\nc\n");
  });

  it("has separate stdout and stderr on request", async () => {
    const seen = { stdout: "", stderr: "" };
    const { outputBytes } = await shell("echo answer; echo noise >&2", {
      streams: "apart",
      onOutput: (chunk, from) => {
        seen[from] += chunk;
      },
    });
    expect({ ...seen, outputBytes }).toEqual({ stdout: "answer\n", stderr: "noise\n", outputBytes: 13 });
  });

  it("shows its output as it arrives", async () => {
    using folder = temporaryFolder();
    const seen: string[] = [];
    // It continues only after its first line was shown.
    const { exit } = await shell("echo a; until [ -e shown ]; do sleep 0.01; done; echo b", {
      cwd: folder.path,
      onOutput: (chunk) => {
        seen.push(String(chunk));
        folder.write("shown", "");
      },
    });
    expect({ exit, seen }).toEqual({ exit: 0, seen: ["a\n", "b\n"] });
  });

  it("has exactly the given environment and folder", async () => {
    using folder = temporaryFolder();
    const { tail } = await shell("pwd; env | grep -v -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD=", {
      cwd: folder.path,
      env: { PATH, ONE: "1" },
    });
    expect(tail.split("\n").sort()).toEqual(["", "ONE=1", `PATH=${PATH}`, folder.path].sort());
  });

  it("may have an empty or a long input", async () => {
    expect((await shell("wc -c")).tail.trim()).toBe("0");
    const input = "x".repeat(3_000_000);
    expect((await shell("wc -c", { input })).tail.trim()).toBe("3000000");
    expect((await shell("true", { input })).exit).toBe(0); // it reads none of it
  });

  it("that is killed has a signal and no exit code", async () => {
    expect(await shell("kill -9 $$")).toMatchObject({ exit: null, signal: "SIGKILL", timedOut: false });
  });

  it("leaves no descriptor and no file behind", async () => {
    using folder = temporaryFolder();
    const { TMPDIR } = process.env;
    process.env.TMPDIR = folder.path;
    try {
      await shell("echo warm");
      const before = openDescriptors();
      for (let i = 0; i < 20; i += 1) await shell("echo x; echo y >&2", { input: "z", streams: "apart" });
      await runProcess({ command: ["/nowhere"], cwd: "/", env: {}, msMax: 1000, input: "z" });
      await eventually("all descriptors closed", () =>
        openDescriptors() <= before + spare ? true : undefined,
      );
      expect(readdirSync(folder.path)).toEqual([]);
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    }
  });
});

describe("output", () => {
  it("without end is read in limited memory", async () => {
    await shell("head -c 20000000 /dev/zero");
    const before = process.memoryUsage().rss;
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss);
    }, 5);
    const { exit, outputBytes, tail, digest } = await shell(
      "head -c 104857600 /dev/zero | tr '\\0' x; echo end",
    );
    clearInterval(watch);
    expect({ exit, outputBytes, length: tail.length, end: tail.slice(-5) }).toEqual({
      exit: 0,
      outputBytes: 104857604,
      length: 4096,
      end: "xend\n",
    });
    expect(digest).toBe(sha256(Buffer.concat([Buffer.alloc(104857600, "x"), Buffer.from("end\n")])));
    expect(most - before).toBeLessThan(60_000_000);
  });

  it.each([
    [1, ""],
    [2, "é"],
    [3, "é"],
    [4, "éé"],
    [7, "ééé"],
  ])("that is cut to %i bytes starts with a whole character", async (tailBytesMax, tail) => {
    const kept = await shell("printf '\\303\\251\\303\\251\\303\\251\\303\\251'", { tailBytesMax });
    expect(kept.tail).toBe(tail);
  });

  it("that is not text, or ends within a character, is shown as far as possible", async () => {
    expect((await shell("printf 'a\\377b\\303'")).tail).toBe("a\ufffdb\ufffd");
    expect((await shell("printf '\\251ab'")).tail).toBe("\ufffdab"); // nothing was cut off here
    expect((await shell("printf '\\303'; sleep 0.1; printf '\\251'")).tail).toBe("é");
  });

  it.each(["", "x", "xy", "wxyz", "vwxyz"])("`%s` is kept to its last four bytes", async (text) => {
    const [one, ...rest] = text;
    const { tail } = await shell(`printf '${one ?? ""}'; sleep 0.05; printf '${rest.join("")}'`, {
      tailBytesMax: 4,
    });
    expect(tail).toBe(text.slice(-4));
  });
});

describe("a process that cannot be started", () => {
  it.each([
    [
      "that does not exist",
      ["lockstep-nosuch"],
      "`lockstep-nosuch` cannot be started: there is no such program",
    ],
    ["without a name", [], "`` cannot be started: "],
    ["that is a folder", ["/"], "`/` cannot be started: it is not executable"],
    ["with a zero byte", ["a\0b"], "cannot be started: "],
    [
      "with an argument that is too long",
      ["true", "x".repeat(3_000_000)],
      "`true` cannot be started: its arguments",
    ],
  ])("%s is reported with the reason", async (_, command, why) => {
    const result = await runProcess({ command, cwd: "/", env: { PATH }, msMax: 1000 });
    expect(result).toMatchObject({
      exit: null,
      signal: null,
      timedOut: false,
      aborted: false,
      outputBytes: 0,
    });
    expect(result.tail).toContain(why);
  });

  it("because it is not executable is reported so", async () => {
    using folder = temporaryFolder({ plain: "echo\n" });
    const command = [join(folder.path, "plain")];
    const { exit, tail } = await runProcess({ command, cwd: "/", env: { PATH }, msMax: 1000 });
    expect({ exit, tail }).toEqual({
      exit: null,
      tail: `\`${command[0]}\` cannot be started: it is not executable`,
    });
  });

  it("because its folder is missing is reported with the folder", async () => {
    const { tail } = await shell("true", { cwd: "/nowhere/at/all" });
    expect(tail).toBe("`sh` cannot be started: its folder `/nowhere/at/all` does not exist");
  });
});

describe("the end of a process", () => {
  it("comes at its time limit, for its children too", async () => {
    using folder = temporaryFolder();
    const [child, up] = ["child", "up"].map((name) => join(folder.path, name)) as [string, string];
    const script = `flock ${child} sh -c 'echo > ${up}; sleep 60' & sleep 60`;
    // A busy machine may need longer than the first limit to start it at all.
    for (let msMax = 200; !existsSync(up); msMax *= 2) {
      const result = await shell(script, { msMax });
      expect(result).toMatchObject({ exit: null, signal: "SIGTERM", timedOut: true, aborted: false });
    }
    expect(isHeld(child)).toBe(false);
  });

  it("does not count as success if the program exits with 0 after SIGTERM", async () => {
    const result = await shell("trap 'echo bye; exit 0' TERM; sleep 60 & wait", { msMax: 1500 });
    expect(result).toMatchObject({ exit: null, timedOut: true, tail: "bye\n" });
  });

  it("is forced if SIGTERM does not help", async () => {
    const result = await shell("trap '' TERM; while :; do sleep 0.1; done", { msMax: 1500 });
    expect(result).toMatchObject({ exit: null, signal: "SIGKILL", timedOut: true });
    expect(result.seconds).toBeGreaterThan(4);
    expect(result.seconds).toBeLessThan(20);
  });

  it("leaves its children time to clean up, even if their parent has ended", async () => {
    const child = "trap 'sleep 1; echo cleaned' TERM; echo ready; sleep 60 & wait";
    const controller = new AbortController();
    const result = await shell(`sh -c "${child}" & sleep 60`, {
      abort: controller.signal,
      onOutput: () => controller.abort(),
    });
    expect(result).toMatchObject({ signal: "SIGTERM", aborted: true, tail: "ready\ncleaned\n" });
  });

  it("also ends everything that still runs in its process group", async () => {
    using folder = temporaryFolder();
    const child = join(folder.path, "child");
    const started = `until ! flock --nonblock ${child} true; do sleep 0.01; done`;
    const result = await shell(`flock ${child} sleep 60 & ${started}; echo done`);
    expect(result).toMatchObject({ exit: 0, tail: "done\n" });
    // The kernel closes the files of a killed process a moment later.
    await eventually("its end", () => !isHeld(child) || undefined);
  });

  it("does not wait for a child in a session of its own that holds the output", async () => {
    using folder = temporaryFolder();
    const pid = join(folder.path, "pid");
    const before = openDescriptors();
    const result = await shell(`setsid sh -c 'echo $$ > ${pid}; exec sleep 50' & echo done`);
    expect(result).toMatchObject({ exit: 0, tail: "done\n" });
    expect(result.seconds).toBeLessThan(10);
    await eventually("its descriptors closed", () =>
      openDescriptors() <= before + spare ? true : undefined,
    );
    process.kill(Number(readFileSync(pid, "utf8")), "SIGKILL"); // it is still running
  });

  it("waits for the rest of the output that a child still writes", async () => {
    expect((await shell("(sleep 0.05; echo rest) & echo done")).tail).toBe("done\nrest\n");
  });

  it("follows an abort, even one before the start", async () => {
    const controller = new AbortController();
    const result = await shell("echo up; sleep 60", {
      abort: controller.signal,
      onOutput: () => controller.abort(),
    });
    expect(result).toMatchObject({ exit: null, signal: "SIGTERM", timedOut: false, aborted: true });
    expect(result.seconds).toBeLessThan(50);
    const never = await shell("echo ran", { abort: controller.signal });
    expect(never).toMatchObject({ exit: null, aborted: true, outputBytes: 0 });
    expect(never.tail).toContain("already aborted");
  });

  it("does not come early with a limit that is longer than a timer allows", async () => {
    expect(await shell("sleep 0.2; echo done", { msMax: Number.POSITIVE_INFINITY })).toMatchObject({
      exit: 0,
      tail: "done\n",
    });
  });
});
