import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Evidence } from "../src/core/tasks/evidence.ts";
import { runCheck } from "../src/proof/run-check.ts";
import { findProject } from "../src/workspace/find-project.ts";
import { temporaryRepository } from "./support/run-command.ts";

function committed() {
  const repository = temporaryRepository({ "a.txt": "committed\n" });
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...words], {
      cwd: repository.path,
      encoding: "utf8",
    }).trim();
  git("add", "a.txt");
  git("commit", "-qm", "a");
  const project = findProject(repository.path);
  const commit = git("rev-parse", "HEAD");
  const check = async (command: string, more: { commit?: string; msMax?: number } = {}) =>
    (await runCheck(project, { commit, command, ...more })) as Evidence & { error?: string };
  return { ...repository, check, tree: git("rev-parse", "HEAD^{tree}") };
}

describe("a check", () => {
  it("runs on the commit's tree, whatever the working folder holds", async () => {
    using repository = committed();
    repository.write("a.txt", "changed\n");
    repository.write("b.txt", "untracked\n");
    const { exit, tree, tail } = await repository.check("cat a.txt; ls");
    expect({ exit, tree, tail }).toEqual({ exit: 0, tree: repository.tree, tail: "committed\na.txt\n" });
  });

  it.each(["exit 3", "kill -9 $$", "nosuchprogram"])("that ends badly (`%s`) is no pass", async (command) => {
    using repository = committed();
    expect((await repository.check(command)).exit).not.toBe(0);
  });

  it("that hangs is ended at its time limit, with its children", async () => {
    using repository = committed();
    const mark = join(repository.path, "survived");
    const { exit } = await repository.check(`(sleep 1; touch ${mark}) & sleep 60`, { msMax: 300 });
    expect(exit).toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(existsSync(mark)).toBe(false);
  });

  it("does not wait for what outlives it in a session of its own", async () => {
    using repository = committed();
    const { exit, seconds } = await repository.check("setsid sleep 5 & echo done");
    expect(exit).toBe(0);
    expect(seconds).toBeLessThan(4);
  });

  it("that prints without end leaves a digest and a bounded tail", async () => {
    using repository = committed();
    const { exit, tail, digest } = await repository.check(
      "head -c 50000000 /dev/zero | tr '\\0' x; echo end",
    );
    expect({ exit, length: tail.length, end: tail.slice(-4) }).toEqual({
      exit: 0,
      length: 4096,
      end: "end\n",
    });
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it("keeps secrets out of its tail, and the caller's environment out of its own", async () => {
    using repository = committed();
    const secret = ["AKIA", "Z7QX2M", "4WPL9K", "TRB3"].join("");
    process.env.LOCKSTEP_TOKEN = "t";
    try {
      const { tail } = await repository.check(`echo key ${secret}; env | grep -c LOCKSTEP`);
      expect(tail).not.toContain(secret);
      expect(tail).toMatch(/\n0\n$/);
    } finally {
      delete process.env.LOCKSTEP_TOKEN;
    }
  });

  it.each(["HEAD; touch x", "--upload-pack=x", "deadbeef", ""])(
    "of `%s` says that there is no such commit",
    async (commit) => {
      using repository = committed();
      expect((await repository.check("true", { commit })).error).toContain("commit");
    },
  );
});
