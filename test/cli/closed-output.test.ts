import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { landRepository } from "../support/land-repository.ts";
import { packet } from "../support/memory-engine.ts";
import { type Repository, temporaryRepository } from "../support/run-command.ts";
import { command } from "../support/run-hook.ts";

/** Runs the command with an output whose reader was closed before it starts. */
async function withoutReader(cwd: string, words: readonly string[], input = "") {
  const child = spawn(process.execPath, [command, ...words], { cwd, stdio: ["pipe", "pipe", "pipe"] });
  child.stdout.destroy();
  child.stdin.on("error", () => {}).end(input);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  const [status] = await once(child, "close");
  return { status, stderr };
}

describe("a command whose reader was closed", () => {
  it.each([
    ["status", "--json"],
    ["task", "list", "--json"],
    ["task", "show", "T-1"],
    ["lock", "list"],
    ["audit", "export"],
    ["session", "list"],
    ["explain", "ls"],
    ["schema", "plan"],
    ["doctor", "--json"],
    ["--help"],
  ])("ends with the same exit code as with a reader: %s %s", async (...words) => {
    using repository = temporaryRepository();
    await repository.run(["dispatch"], { input: JSON.stringify(packet("T-1", ["src"])) });
    const { status } = await repository.run(words);
    expect(await withoutReader(repository.path, words)).toEqual({
      status,
      stderr: expect.not.stringMatching(/E-INTERNAL|EPIPE/),
    });
  });

  it("still does its work", async () => {
    using repository = temporaryRepository();
    const input = JSON.stringify(packet("T-1", ["src"]));
    expect(await withoutReader(repository.path, ["dispatch"], input)).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse((await repository.run(["task", "show", "T-1", "--json"])).stdout)).toMatchObject({
      state: "IN_PROGRESS",
    });
  });
});

/** Runs the command with a standard output that is always full. */
async function onFullDisk(repository: Repository, words: readonly string[], input = "") {
  const full = openSync("/dev/full", "w");
  try {
    const child = spawn(process.execPath, [command, ...words], {
      cwd: repository.path,
      stdio: ["pipe", full, "pipe"],
      env: { ...process.env, XDG_STATE_HOME: join(repository.path, ".git/state") },
    });
    child.stdin?.on("error", () => {}).end(input);
    let stderr = "";
    child.stderr?.setEncoding("utf8").on("data", (text) => {
      stderr += text;
    });
    const [status] = await once(child, "close");
    return { status, stderr };
  } finally {
    closeSync(full);
  }
}

describe.skipIf(!existsSync("/dev/full"))("a command whose output cannot be written", () => {
  const lost =
    "lockstep: E-STORE: the output could not be written: the disk is full; free some space, or write it elsewhere. It is:\n";

  it.each([["status"], ["doctor", "--json"], ["--help"], ["schema", "plan"], ["task", "list", "--json"]])(
    "reports it, and exits 1: %s %s",
    async (...words) => {
      using repository = temporaryRepository();
      const { status, stderr } = await onFullDisk(repository, words);
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(lost) });
      expect(stderr).not.toMatch(/E-INTERNAL|\n +at /);
    },
  );

  it("reports what it has merged", async () => {
    using repository = landRepository();
    repository.branch("good", { "f.js": "exports.f = 2;\n" });
    const { status, stderr } = await onFullDisk(repository, ["land", "good"]);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining(
        `${lost}merged good into main as ${repository.git("rev-parse", "--short=12", "main")}`,
      ),
    });
    expect(stderr).not.toMatch(/E-INTERNAL|\n +at /);
  });

  it("keeps the exit code of a refusal, and its reason", async () => {
    using repository = landRepository();
    repository.branch("bad", { "f.js": "exports.f = 3;\n" });
    const { status, stderr } = await onFullDisk(repository, ["land", "bad", "--json"]);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining("lockstep: R-PC-002: "),
    });
  });

  it("reports what it has changed", async () => {
    using repository = temporaryRepository();
    const input = JSON.stringify(packet("T-1", ["src"]));
    const { status, stderr } = await onFullDisk(repository, ["dispatch"], input);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining(`${lost}{"allow":true`),
    });
  });
});

describe.skipIf(!existsSync("/dev/full"))("a command whose messages cannot be written", () => {
  it("does its work", async () => {
    using repository = landRepository();
    repository.branch("good", { "f.js": "exports.f = 2;\n" });
    const { status, stdout } = spawnSync(
      "sh",
      ["-c", `"$0" "$1" land good 2>/dev/full`, process.execPath, command],
      {
        cwd: repository.path,
        encoding: "utf8",
        env: { ...process.env, XDG_STATE_HOME: join(repository.path, ".git/state") },
      },
    );
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringContaining("merged good into main"),
    });
  });
});
