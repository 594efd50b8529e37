import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openDemoFolder } from "../../src/cli/demo/demo-folder.ts";
import { demoText } from "../../src/cli/demo/demo-table.ts";
import type { DemoOutcome } from "../../src/cli/demo/outcome.ts";
import { git } from "../../src/workspace/git/run-git.ts";
import { type CommandRun, startProgram } from "../support/run-command.ts";
import { lockstepWords } from "../support/run-hook.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/temporary-folder.ts";

const msMax = 180_000;

function demo(folder: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return startProgram([...lockstepWords, "demo", ...words], {
    cwd: folder,
    env: { TMPDIR: folder, ...env },
  }).ended;
}

const node = (cwd: string, ...words: string[]) => startProgram([process.execPath, ...words], { cwd }).ended;

describe("the demo", () => {
  let temporary: TemporaryFolder;
  let run: CommandRun;
  let outcome: DemoOutcome;
  const of = (task: string) => outcome.agents.find((agent) => agent.task === task);

  beforeAll(async () => {
    temporary = temporaryFolder();
    run = await demo(temporary.path, ["--json"]);
    expect(run.stdout, run.stderr).not.toBe("");
    outcome = JSON.parse(run.stdout) as DemoOutcome;
  }, msMax);
  afterAll(() => temporary[Symbol.dispose]());

  it("exits with 0, because Lockstep kept main green and refused the bad work", () => {
    expect({ status: run.status, ok: outcome.ok }, run.stderr).toEqual({ status: 0, ok: true });
    expect(outcome.agents.filter(({ lockstep }) => lockstep.harm !== null)).toEqual([]);
  });

  it.each(["shipping", "format"])(
    "merges the correct work of `%s` in both, and proves it with Lockstep",
    (task) => {
      expect(of(task)).toMatchObject({
        plain: { merged: true, harm: null },
        lockstep: { state: "MERGED", checks: 3, harm: null },
      });
    },
  );

  it.each([
    ["cart", "R-PC-002", "its test fails"],
    ["payment", "R-PO-004", "the key is in main's history"],
    ["coupon", "R-PO-002", "money.js is changed, its test fails"],
    ["invoice", "R-PO-002", "the work of `tax` is lost"],
    ["search", "R-WD-001", "an empty function"],
    ["sort", "R-BG-001", "tokens for comments"],
  ])("detects on the plain main what `%s` did, and shows Lockstep's refusal %s", (task, code, harm) => {
    expect(of(task)).toMatchObject({
      plain: { merged: true, harm: expect.stringContaining(harm) },
      lockstep: { code, harm: null },
    });
    expect(of(task)?.lockstep.state).not.toBe("MERGED");
  });

  it("asks a person about the deleted test, although the check that passes names no test file", () => {
    expect(of("discount")).toMatchObject({
      plain: { merged: true, harm: expect.stringContaining("the test is gone") },
      lockstep: {
        ...{ state: "REVIEW", harm: null },
        asks: {
          kind: "weakened",
          findings: expect.arrayContaining([expect.stringContaining("ten percent off")]),
        },
      },
    });
  });

  it("loses another agent's work on plain branches only", () => {
    expect(of("tax")).toMatchObject({
      plain: { merged: true, harm: expect.stringContaining("overwritten") },
      lockstep: { state: "MERGED", checks: 3, harm: null },
    });
  });

  it("merges half a file without Lockstep, and continues after the kill of the run with it", () => {
    expect(of("stock")).toMatchObject({
      plain: { harm: expect.stringContaining("does not parse") },
      lockstep: { state: "MERGED", attempts: 2, checks: 3, harm: null },
    });
  });

  it("reports the tests of both mains as they are: failing on one and passing on the other", async () => {
    const { plain, lockstep } = outcome.repositories;
    expect((await node(plain, "--test")).status).toBe(1);
    expect((await node(lockstep, "--test")).status).toBe(0);
    expect(outcome.tests).toEqual({
      plain: { passed: 6, failed: 3 },
      lockstep: { passed: 8, failed: 0 },
    });
  });

  it("keeps the leaked key out of main and of everything that Lockstep stores", async () => {
    const { plain, lockstep } = outcome.repositories;
    const [key = ""] = /\bAKIA[A-Z2-7]{16}\b/.exec(await git(plain, ["log", "--patch", "main"])) ?? [];
    expect(key).not.toBe("");
    const stored = [outcome.logs.lockstep, ...filesIn(join(lockstep, ".git", "lockstep"))];
    const session = filesIn(join(lockstep, ".agents-work"));
    expect(session.length).toBeGreaterThan(0);
    expect([...stored, ...session].filter((file) => readFileSync(file, "latin1").includes(key))).toEqual([]);
    expect(await git(lockstep, ["log", "--patch", "main"])).not.toContain(key);
  });

  it("ends with a table that fits 80 columns, a row for each agent, and the next commands", () => {
    const lines = demoText(outcome).split("\n");
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    for (const { task, deed } of outcome.agents)
      expect(lines.filter((line) => line.startsWith(` ${task} ${deed.split(" ")[0]}`))).toHaveLength(1);
    expect(lines.join("\n")).toMatch(/✗ 3 of 9 fail +✓ all 8 pass/);
    expect(lines.join("\n")).toContain(outcome.folder);
    for (const line of ["   git -C lockstep log --oneline --graph main", "   less lockstep.log"])
      expect(lines).toContain(line);
    expect(lines.join(" ")).toMatch(/has spent {1,20}\d+,\d{3}\b/);
    for (const half of ["plain", "lockstep"] as const) expect(existsSync(outcome.logs[half])).toBe(true);
  });

  it("shows its progress on stderr", () => {
    expect(run.stderr).toContain("plain branches");
    expect(run.stderr).toContain("Lockstep");
  });

  it("removes the folder of an earlier demo, and nothing else", () => {
    vi.stubEnv("TMPDIR", temporary.path);
    temporary.write("lockstep-demo-notes/mine.txt", "a person's\n");
    const folder = openDemoFolder();
    // Its process is this one, which still runs.
    const other = openDemoFolder();
    vi.unstubAllEnvs();
    expect([outcome.folder, folder, other].map((path) => existsSync(path))).toEqual([false, true, true]);
    expect(existsSync(join(temporary.path, "lockstep-demo-notes/mine.txt"))).toBe(true);
  });
});

describe("`demo --client`", () => {
  it.each([
    ["nobody", "R-IN-001"],
    ["opencode", "R-AG-001"],
  ])("refuses %s, which is unknown or not installed, before anything starts", async (client, code) => {
    using folder = temporaryFolder();
    const { status, stdout, stderr } = await demo(folder.path, ["--json", "--client", client], {
      PATH: folder.path,
    });
    expect({ status, refused: JSON.parse(stdout) }).toMatchObject({ status: 2, refused: { code } });
    expect(stderr).toContain(`lockstep: ${code}: \`${client}\``);
    expect(readdirSync(folder.path)).toEqual([]);
  });
});

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
