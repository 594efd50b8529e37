import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { packet } from "../support/memory-engine.ts";
import { temporaryRepository } from "../support/run-command.ts";
import { command } from "../support/run-hook.ts";

/** The command with an output whose reader has gone before it starts. */
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

describe("a command whose reader has gone", () => {
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
  ])("ends as it would with one: %s %s", async (...words) => {
    using repository = temporaryRepository();
    await repository.run(["dispatch"], { input: JSON.stringify(packet("T-1", ["src"])) });
    const { status } = await repository.run(words);
    expect(await withoutReader(repository.path, words)).toEqual({
      status,
      stderr: expect.not.stringMatching(/E-INTERNAL|EPIPE/),
    });
  });

  it("has done what it was asked for", async () => {
    using repository = temporaryRepository();
    const input = JSON.stringify(packet("T-1", ["src"]));
    expect(await withoutReader(repository.path, ["dispatch"], input)).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse((await repository.run(["task", "show", "T-1", "--json"])).stdout)).toMatchObject({
      state: "IN_PROGRESS",
    });
  });
});
