import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CheckRun } from "../src/core/proof/check-record.ts";
import { Prover } from "../src/proof/prover.ts";
import { findProject } from "../src/workspace/find-project.ts";
import { temporaryRepository } from "./support/run-command.ts";

type Outcome = CheckRun & { readonly tree: string; readonly error: string };
const nothing = { exit: null, seconds: 0, digest: "", tail: "", tree: "" };

function committed() {
  const repository = temporaryRepository({ "a.txt": "committed\n" });
  const { git } = repository;
  git("add", "a.txt");
  git("commit", "-qm", "a");
  const commonFolder = findProject(repository.path).commonFolder as string;
  process.env.XDG_STATE_HOME = join(repository.path, "state");
  const commit = git("rev-parse", "HEAD");
  const check = async (command: string, more: { commit?: string; msMax?: number } = {}): Promise<Outcome> => {
    using prover = await Prover.open({
      root: repository.path,
      commonFolder,
      setup: null,
      include: [".env"],
      envPass: ["PATH", "HOME"],
      ...(more.msMax === undefined ? {} : { checkMsMax: more.msMax }),
    });
    const proven = await prover.run(more.commit ?? commit, command, { base: commit, changed: ["a.txt"] });
    return "error" in proven
      ? { ...nothing, error: proven.error }
      : { tree: proven.tree, error: "", ...proven.run };
  };
  return { ...repository, check, tree: git("rev-parse", "HEAD^{tree}") };
}

describe("a check", () => {
  it("runs on the commit's tree, whatever the working folder holds", async () => {
    using repository = committed();
    repository.write("a.txt", "changed\n");
    repository.write("b.txt", "untracked\n");
    expect(await repository.check("cat a.txt; ls")).toMatchObject({
      exit: 0,
      tree: repository.tree,
      tail: "committed\na.txt\n",
    });
  });

  it("is told what changed, and has the untracked files that are listed", async () => {
    using repository = committed();
    repository.write(".env", "A=1\n");
    repository.write("other.env", "B=2\n");
    const { tail } = await repository.check('cat "$LOCKSTEP_CHANGED" .env; ls -A | grep -c other');
    expect(tail).toBe("a.txt\nA=1\n0\n");
  });

  it("finds nothing that the one before it left behind", async () => {
    using repository = committed();
    await repository.check("echo junk > junk.txt; echo bad > a.txt; mkdir -p node_modules/x");
    expect((await repository.check("cat a.txt; ls")).tail).toBe("committed\na.txt\n");
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
      const { tail } = await repository.check(`echo key ${secret}; env | grep -c TOKEN`);
      expect(tail).not.toContain(secret);
      expect(tail).toMatch(/\n0\n$/);
    } finally {
      delete process.env.LOCKSTEP_TOKEN;
    }
  });

  it("masks a secret before it cuts the output", async () => {
    using repository = committed();
    const secret = ["ghp_", "Tk3ynVzWAwiXrNHBBrbsKrkNrtQYrtSJzeG1"].join("");
    const { tail } = await repository.check(`echo ${secret}; head -c 4058 /dev/zero | tr '\\0' x`);
    expect(tail).not.toContain("SJzeG1");
    expect(tail.length).toBeLessThanOrEqual(4096);
  });

  it.each(["HEAD; touch x", "--upload-pack=x", "deadbeef", ""])(
    "of `%s` says that there is no such commit",
    async (commit) => {
      using repository = committed();
      expect((await repository.check("true", { commit })).error).toContain("commit");
    },
  );
});
