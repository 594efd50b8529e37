import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  agentEnvironment,
  type GuardedRepository,
  guardedRepository,
} from "../support/guarded-repository.ts";
import { eventually, type Running, startProgram } from "../support/run-command.ts";
import { missing } from "../support/sandboxed.ts";
import { replacedCommand } from "../support/sandboxed-call.ts";

let repository: GuardedRepository;
let env: Readonly<Record<string, string>>;

/** Prints the signal that it got, and exits with a code of its own. The last argument is only a mark. */
const server = `
import signal, sys, time
def tell(number, frame):
    print("got", signal.Signals(number).name, flush=True)
    sys.exit(9)
for name in ("HUP", "INT", "QUIT", "TERM", "USR1", "USR2"):
    signal.signal(getattr(signal, "SIG" + name), tell)
print("ready", flush=True)
time.sleep(60)
`;
/** Has the default action for signals, as any program. */
const plain = "import time\nprint('ready', flush=True)\ntime.sleep(60)\n";

beforeEach(async () => {
  repository = guardedRepository();
  repository.write(".gitignore", "*.log\n");
  repository.write("src/a/server.py", server);
  repository.write("src/a/plain.py", plain);
  repository.git("add", "-A");
  repository.git("commit", "-qm", "programs");
  env = agentEnvironment(await repository.dispatch("T-A", ["src/a/**"]));
});
afterEach(() => repository[Symbol.dispose]());

const sandboxed = (command: string) => replacedCommand(repository, command, env);

async function started(command: string, input?: string): Promise<Running> {
  const replaced = await sandboxed(command);
  expect(replaced).toContain("lockstep exec");
  return startProgram(["bash", "-c", replaced], {
    cwd: repository.path,
    ...(input !== undefined && { input }),
  });
}

async function ran(command: string, input?: string) {
  using running = await started(command, input);
  return await running.ended;
}

const signals = ["HUP", "INT", "QUIT", "TERM", "USR1", "USR2"] as const;
const numbers = { HUP: 1, INT: 2, QUIT: 3, TERM: 15, USR1: 10, USR2: 12 } as const;
/** In a call, after a background process was started. */
const whenReady = "until grep -qs ready src/a/out.log; do sleep 0.05; done";

describe.skipIf(missing)("a signal to a program in the sandbox", () => {
  it.each(signals)("SIG%s reaches the program in the foreground, whose handler decides", async (name) => {
    using running = await started("python3 src/a/server.py");
    await eventually("a ready program", () => running.lines().includes("ready") || undefined);
    running.process.kill(`SIG${name}`);
    expect(await running.ended).toMatchObject({ status: 9, stdout: `ready\ngot SIG${name}\n` });
  });

  it.each(signals)("SIG%s ends a program without a handler, as the shell reports it", async (name) => {
    using running = await started("python3 -X faulthandler=0 src/a/plain.py; echo code $?");
    await eventually("a ready program", () => running.lines().includes("ready") || undefined);
    const script = running.process.pid ?? 0;
    const waiting = childrenOf(script);
    process.kill(waiting[0] ?? 0, `SIG${name}`);
    // Python turns it into an exception and exits by itself.
    expect((await running.ended).stdout).toContain(`code ${128 + numbers[name]}`);
  });

  it.each(signals)("SIG%s reaches a program in the background", async (name) => {
    const { stdout } = await ran(
      `python3 src/a/server.py > src/a/out.log & ${whenReady}; kill -0 $! && kill -${name} $!; wait $!; echo code $?; cat src/a/out.log`,
    );
    expect(stdout).toBe(`code 9\nready\ngot SIG${name}\n`);
  });

  it.each(["HUP", "INT", "QUIT"] as const)("SIG%s reaches the children of the program too", async (name) => {
    repository.write("src/a/waits.sh", "trap : HUP INT QUIT\npython3 src/a/server.py\necho child $?\n");
    using running = await started("sh src/a/waits.sh");
    await eventually("a ready program", () => running.lines().includes("ready") || undefined);
    running.process.kill(`SIG${name}`);
    expect((await running.ended).stdout).toBe(`ready\ngot SIG${name}\nchild 9\n`);
  });

  it("continues a program that has stopped itself, and its own handler runs", async () => {
    repository.write(
      "src/a/stops.py",
      [
        "import os, signal",
        "signal.signal(signal.SIGCONT, lambda *_: print('continued', flush=True))",
        "print('ready', flush=True)",
        "os.kill(os.getpid(), signal.SIGSTOP)",
        "print('after', flush=True)\n",
      ].join("\n"),
    );
    const { stdout } = await ran(
      `python3 src/a/stops.py > src/a/out.log & ${whenReady}; until grep -q after src/a/out.log || [ $((tries += 1)) -gt 100 ]; do sleep 0.1; kill -CONT $!; done 2>/dev/null; kill -9 $!; cat src/a/out.log`,
    );
    expect(stdout.split("\n")).toEqual(expect.arrayContaining(["ready", "continued", "after"]));
  });

  it("in the background is ignored if every shell ignores it, and with `nohup`", async () => {
    const { stdout } = await ran(
      `nohup python3 src/a/plain.py > src/a/out.log & ${whenReady}; kill -INT $!; kill -QUIT $!; kill -HUP $!; sleep 0.3; kill -0 $! && kill %1; wait $!; echo code $?`,
    );
    expect(stdout).toBe("code 143\n");
  });

  it("may come from `timeout`, or from a client that signals the whole group", async () => {
    const { stdout } = await ran("timeout -k 30 1 python3 src/a/server.py; echo code $?");
    expect(stdout).toMatch(/got SIGTERM\ncode 124\n$/);
    const replaced = await sandboxed("python3 src/a/server.py; true");
    using group = startProgram(["setsid", "bash", "-c", replaced], { cwd: repository.path });
    await eventually("a ready program", () => group.lines().includes("ready") || undefined);
    process.kill(-(group.process.pid ?? 0), "SIGTERM");
    expect((await group.ended).stdout).toBe("ready\ngot SIGTERM\n");
  });

  it("is not lost while the sandbox is built", async () => {
    for (const ms of [0, 2, 5, 10, 20, 40]) {
      const { stdout } = await ran(
        `python3 src/a/plain.py > src/a/out.log & sleep 0.0${ms}; kill $!; wait $!; echo code $?`,
      );
      expect(stdout, `${ms} ms`).toBe("code 143\n");
    }
  });

  it("SIGKILL to the parent of the sandbox leaves no process behind", async () => {
    const mark = `mark-${process.pid}`;
    const { stdout } = await ran(
      `python3 src/a/server.py ${mark} > src/a/out.log & ${whenReady}; kill -9 $!; wait $!; echo code $?`,
    );
    expect(stdout).toBe("code 137\n");
    await eventually("no process", () => processesWith(mark).length === 0 || undefined);
  });

  it("to one program does not affect later calls", async () => {
    const { stdout } = await ran(
      `python3 src/a/server.py > src/a/out.log & ${whenReady}; python3 -c 'print("beside")'; kill $!; wait; echo done`,
    );
    expect(stdout).toBe("beside\ndone\n");
  });
});

describe.skipIf(missing)("a command in the sandbox", () => {
  it("has the exit code of its program", async () => {
    const codes = [0, 1, 2, 125, 126, 127, 128, 130, 143, 255];
    const { stdout } = await ran(`for c in ${codes.join(" ")}; do python3 -c "exit($c)"; echo $?; done`);
    expect(stdout.trim().split("\n").map(Number)).toEqual(codes);
    expect((await ran("python3 -c 'import os; os.kill(os.getpid(), 9)'; echo $?")).stdout).toBe("137\n");
    expect((await ran("python3 -c 'print(1)' | head -c0; echo ${PIPESTATUS[1]}")).stdout).toBe("0\n");
  });

  it("reads its input: a pipe, a here-document, a file, nothing", async () => {
    const copy = "python3 -c 'import sys; print(sys.stdin.read().upper(), end=\"\")'";
    expect((await ran(`printf ab | ${copy}`)).stdout).toBe("AB");
    expect((await ran(`${copy} <<EOF\nhere\nEOF`)).stdout).toBe("HERE\n");
    expect((await ran(`${copy} < src/a/plain.py`)).stdout).toBe(plain.toUpperCase());
    expect((await ran(copy, "from outside")).stdout).toBe("FROM OUTSIDE");
    expect((await ran(`${copy} <&-; echo $?`)).stdout).toMatch(/\d\n$/);
  });

  it("prints each line when it is ready", async () => {
    const code = `print("first", flush=True); input(); print("second")`;
    const replaced = await sandboxed(`python3 -c '${code}' | cat`);
    using running = startProgram(["bash", "-c", replaced], { cwd: repository.path, input: "later" });
    await eventually("the first line", () => running.lines().includes("first") || undefined);
    running.process.stdin?.end("go\n");
    expect((await running.ended).stdout).toBe("first\nsecond\n");
  });

  it("prints all of its output, however long", async () => {
    const { stdout } = await ran("python3 -c 'print(\"x\" * 50_000_000)'");
    expect(stdout.length).toBe(50_000_001);
  });

  it("leaves no waiting process behind", async () => {
    await ran("python3 -c 1");
    await eventually("no process", () => processesWith(repository.path).length === 0 || undefined);
    expect(existsSync(join(repository.path, "nohup.out"))).toBe(false);
  });
});

function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
}

function processesWith(words: string): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(words);
    } catch {
      return false; // it has just ended
    }
  });
}
