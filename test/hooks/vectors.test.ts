import { spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, symlinkSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Verdict } from "../../src/core/rules/verdict.ts";
import { hookVectors } from "../support/hook-vectors.ts";
import { command, type HookRun, runHook } from "../support/run-hook.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/temporary-folder.ts";

let folder: TemporaryFolder;
beforeAll(() => {
  folder = temporaryFolder({ "src/a.py": "x" });
});
afterAll(() => folder[Symbol.dispose]());

const lock = (task_id: string, resource: string) => ({ task_id, resource, active: true });
const tick = { now: "2026-02-14T20:00:00Z", tasks: [] };
const write = {
  task_id: "T-1",
  assignment: { lock_scope: ["src"], forbidden_scope: [] },
  write: { resource: "src/a.py", action: "edit" },
};

/** The contract of every run, for any input. */
function expectContract(run: HookRun): void {
  expect(run.stdout).toMatch(/^[^\n]+\n$/);
  expect(run.verdict.reason).toMatch(/^[^\n\r]+$/);
  if (run.verdict.allow) {
    expect(run.verdict).toMatchObject({ code: "OK", reason: "Validation passed" });
    expect(run).toMatchObject({ status: 0, stderr: "" });
    return;
  }
  expect(run.verdict.details).toBeTypeOf("object");
  expect(run).toMatchObject({ status: 2, stderr: `lockstep: ${run.verdict.code}: ${run.verdict.reason}\n` });
}

describe("the vectors", () => {
  it.each(hookVectors)("$hook: $name gives $code", (vector) => {
    using project = temporaryFolder(vector.files);
    const run = runHook([vector.hook], vector.raw ?? JSON.stringify(vector.payload), project.path);
    expect(run.verdict.code).toBe(vector.code);
    expectContract(run);
  });

  it("an allow is exactly the line in the specification", () => {
    const run = runHook(["PreWrite"], JSON.stringify(write), folder.path);
    expect(run.stdout).toBe('{"allow":true,"code":"OK","reason":"Validation passed"}\n');
  });
});

describe("raw input", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  const padded = (bytes: number) => {
    const text = JSON.stringify(tick);
    return text + " ".repeat(bytes - text.length);
  };

  it.each<[string, string, string | Uint8Array, string]>([
    ["nothing", "WatchdogTick", "", "R-IN-001"],
    ["blanks", "WatchdogTick", " \n", "R-IN-001"],
    ["bad UTF-8", "WatchdogTick", Buffer.from([0x7b, 0xff, 0x7d]), "R-IN-001"],
    ["UTF-16", "WatchdogTick", Buffer.from(JSON.stringify(tick), "utf16le"), "R-IN-001"],
    ["a byte order mark", "WatchdogTick", `\ufeff${JSON.stringify(tick)}`, "OK"],
    ["a raw NUL", "WatchdogTick", `{"now":"\u0000"}`, "R-IN-001"],
    ["half a document", "WatchdogTick", JSON.stringify(tick).slice(0, -1), "R-IN-001"],
    ["two documents", "WatchdogTick", "{}{}", "R-IN-001"],
    ["a list", "WatchdogTick", "[]", "R-IN-001"],
    ["a list for the lock table", "OnLockUpdate", "[]", "OK"],
    ["null", "WatchdogTick", "null", "R-IN-001"],
    ["null for the lock table", "OnLockUpdate", "null", "R-IN-001"],
    ["a text", "PreWrite", '"{}"', "R-IN-001"],
    ["a number", "PreWrite", "7", "R-IN-001"],
    ["1 MiB", "WatchdogTick", padded(1024 * 1024), "OK"],
    ["1 MiB and a byte", "WatchdogTick", padded(1024 * 1024 + 1), "R-IN-001"],
    ["5 MiB", "WatchdogTick", padded(5 * 1024 * 1024), "R-IN-001"],
    ["100,000 levels", "WatchdogTick", nested(100_000), "R-IN-001"],
    ["100,000 levels in a lock", "OnLockUpdate", nested(100_000), "R-LK-001"],
    ["100,000 open levels", "PreWrite", '{"a":'.repeat(100_000), "R-IN-001"],
    ["100,000 levels in an unknown field", "WatchdogTick", `{"x":${nested(100_000)}}`, "R-WD-002"],
    [
      "100,000 levels in a snapshot",
      "PreCompact",
      `{"snapshot":{"ledger":${nested(100_000)},"locks":[],"blockers":[],"learnings":[]}}`,
      "R-CP-002",
    ],
    ["prototype keys", "PreWrite", `{"__proto__":${JSON.stringify(write)}}`, "R-IN-001"],
    ["a constructor", "WatchdogTick", '{"constructor":{"now":1},"toString":1}', "R-WD-002"],
    ["a prototype key as a lock table", "OnLockUpdate", '{"__proto__":{"locks":[]}}', "R-LK-001"],
  ])("%s to %s", (_, point, input, code) => {
    const run = runHook([point], input, folder.path);
    expect(run.verdict.code).toBe(code);
    expectContract(run);
  });

  it("15,000 locks are compared faster than pair by pair", () => {
    const locks = Array.from({ length: 15_000 }, (_, at) => lock(`T-${at}`, `d${at % 97}/f${at}`));
    const disjoint = runHook(["OnLockUpdate"], JSON.stringify(locks), folder.path);
    expect(disjoint.verdict.code).toBe("OK");
    const overlapping = runHook(["OnLockUpdate"], JSON.stringify([...locks, lock("Z", "d3")]), folder.path);
    expect(overlapping.verdict.code).toBe("R-LK-001");
    expectContract(overlapping);
  }, 20_000);

  it("9,000 late tasks are all listed, through a pipe with a small buffer", () => {
    const task = { status: "in_progress", timeout_seconds: 1, last_heartbeat_at: "2026-01-01T00:00:00Z" };
    const tasks = Array.from({ length: 9_000 }, (_, at) => ({ task_id: `T-${at}`, ...task }));
    const run = runHook(["WatchdogTick"], JSON.stringify({ ...tick, tasks }), folder.path);
    expect(run.verdict.details?.timed_out).toHaveLength(9_000);
    expectContract(run);
  });

  it("an answer never repeats the content of an unreadable document", () => {
    const run = runHook(["PreWrite"], '{"notes": hunter2-is-my-password}', folder.path);
    expect(run.verdict.code).toBe("R-IN-001");
    expect(run.stdout).not.toContain("hunter2");
  });
});

describe("the command line", () => {
  it.each<[string[], string]>([
    [[], "R-IN-001"],
    [["PreWrite", "PreWrite"], "R-IN-001"],
    [["PreWrite", "--json"], "R-IN-001"],
    [["prewrite"], "R-IN-001"],
    [["__proto__"], "R-IN-001"],
    [["constructor"], "R-IN-001"],
    [[""], "R-IN-001"],
  ])("%j is denied with %s", (words, code) => {
    const run = runHook(words, JSON.stringify(write), folder.path);
    expect(run.verdict.code).toBe(code);
    expectContract(run);
  });

  it("a mistyped point gets a suggestion", () => {
    for (const word of ["PreDispach", "pre-dispatch", "predispatch"])
      expect(runHook([word], "{}", folder.path).verdict.reason).toContain("did you mean `PreDispatch`?");
    expect(runHook(["Banana"], "{}", folder.path).verdict.reason).toContain("one of PreDispatch,");
  });

  it("--help explains itself on stderr", () => {
    const run = runHook(["--help"], "", folder.path);
    expect(run).toMatchObject({ status: 0, stdout: "" });
    expect(run.stderr).toContain("usage: lockstep hook POINT");
  });
});

describe("a faulty caller", () => {
  it("a folder as stdin is denied", () => {
    const stdin = openSync(folder.path, "r");
    const run = spawnSync(process.execPath, [command, "hook", "PreWrite"], {
      cwd: folder.path,
      stdio: [stdin, "pipe", "pipe"],
      encoding: "utf8",
    });
    closeSync(stdin);
    expect(run.status).toBe(2);
    expect(JSON.parse(run.stdout).code).toBe("R-IN-001");
  });

  it.each([
    ["an allow", write],
    ["a deny", {}],
  ])("%s becomes a deny if its output cannot be written", async (_, payload) => {
    const child = spawn(process.execPath, [command, "hook", "PreWrite"], { cwd: folder.path });
    child.stdout.destroy();
    child.stdin.end(JSON.stringify(payload));
    const status = await new Promise((resolve) => child.on("close", resolve));
    expect(status).toBe(2);
  });

  it("a payload in slow pieces is read to its end", async () => {
    const child = spawn(process.execPath, [command, "hook", "PreWrite"], { cwd: folder.path });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      stdout += text;
    });
    const text = JSON.stringify(write);
    for (let at = 0; at < text.length; at += 50) {
      child.stdin.write(text.slice(at, at + 50));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    child.stdin.end();
    const status = await new Promise((resolve) => child.on("close", resolve));
    expect(status).toBe(0);
    expect(JSON.parse(stdout).code).toBe("OK");
  });

  const hasPerl = spawnSync("sh", ["-c", "command -v perl"]).status === 0;
  it.skipIf(!hasPerl)("a non-blocking stdin is read to its end (skipped without perl)", () => {
    const script = `{ sleep 0.3; cat payload.json; } | perl -e '
      use Fcntl; fcntl(STDIN, F_SETFL, O_NONBLOCK) or die; exec @ARGV' -- "$0" "$1" hook PreWrite`;
    folder.write("payload.json", JSON.stringify(write));
    const run = spawnSync("sh", ["-c", script, process.execPath, command], {
      cwd: folder.path,
      encoding: "utf8",
    });
    expect(run).toMatchObject({ status: 0, stderr: "" });
  });

  it("a working folder that was deleted is an internal fault, and so a deny", () => {
    const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$1" hook PreWrite';
    const run = spawnSync("sh", ["-c", script, process.execPath, command], {
      cwd: folder.path,
      encoding: "utf8",
      input: JSON.stringify(write),
    });
    expect(run.status).toBe(2);
    expect(JSON.parse(run.stdout).code).toBe("E-INTERNAL");
  });
});

describe("on a real disk", () => {
  it("a dangling link that leads out of the lock is not a new file inside it", () => {
    using project = temporaryFolder({ "src/a.ts": "x" });
    symlinkSync("../package.json", `${project.path}/src/link`);
    const payload = { ...write, write: { resource: "src/link", action: "create" } };
    expect(runHook(["PreWrite"], JSON.stringify(payload), project.path).verdict.code).toBe("R-PW-001");
  });

  it("paths are relative to the project's root, even if the command runs in a subfolder", () => {
    using project = temporaryFolder({ ".git/HEAD": "ref: refs/heads/main\n", "src/deep/a.ts": "x" });
    const run = runHook(["PreWrite"], JSON.stringify(write), `${project.path}/src/deep`);
    expect(run.verdict.code).toBe("OK");
  });

  it("a snapshot is written into the git folder", () => {
    using project = temporaryFolder({ ".git/HEAD": "ref: refs/heads/main\n" });
    const snapshot = { ledger: [], locks: [], blockers: [], learnings: ["token: hello"] };
    const { verdict } = runHook(["PreCompact"], JSON.stringify({ session: "demo", snapshot }), project.path);
    const path = (verdict as Verdict & { details: { path: string } }).details.path;
    expect(path).toMatch(
      new RegExp(`^${project.path}/\\.git/lockstep/snapshots/demo-\\d{8}T\\d{6}Z-1\\.json$`),
    );
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ session: "demo", ...snapshot });
    expect(existsSync(`${project.path}/.lockstep`)).toBe(false);
  });

  it("a snapshot that cannot be written is denied", () => {
    using project = temporaryFolder({ ".git/HEAD": "x", ".git/lockstep": "a file in the way" });
    const snapshot = { ledger: [], locks: [], blockers: [], learnings: [] };
    const run = runHook(["PreCompact"], JSON.stringify({ snapshot }), project.path);
    expect(run.verdict.code).toBe("R-CP-002");
    expectContract(run);
  });
});
