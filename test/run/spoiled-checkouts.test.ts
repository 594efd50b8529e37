import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makesDeep } from "../support/deep-folder.ts";
import { answer, planned, runPlan, task, writes } from "../support/planned-repository.ts";

const inShell = (words: string) => `run: { command: ${JSON.stringify(words)} }`;

/** The words of a shell that spoil a checkout, what the refusal says, and what the second attempt does about it. */
const spoilt: readonly [name: string, spoils: string, told: string, repairs: string][] = [
  [
    "a folder that is nested too deep",
    makesDeep("deep"),
    "holds files whose paths are longer",
    "rm -rf deep",
  ],
  [
    "a file in place of the sessions' folder",
    "rm -r .agents-work; echo mine > .agents-work",
    "`.agents-work` was replaced by a file or a link",
    "test -d .agents-work/*_shop",
  ],
  [
    "a file in place of the session's folder",
    'd=$(echo .agents-work/*_shop); rm -r "$d"; echo mine > "$d"',
    "_shop` was replaced by a file or a link",
    "test -f .agents-work/*_shop/tasks.yaml",
  ],
];

describe("an attempt that spoils its checkout by", () => {
  it.each(spoilt)(
    "%s is refused with the reason, and the next one repairs it",
    async (_, spoils, told, repairs) => {
      using repository = planned({
        agents: {
          a: [
            [inShell(spoils), writes("A"), answer("OK")],
            ["say: again", inShell(repairs), writes("A"), answer("OK")],
          ],
        },
        tasks: [task("A", "a")],
      });
      const { status, stderr, done } = await runPlan(repository);
      expect({ status, tasks: done.tasks }, stderr).toMatchObject({
        status: 0,
        tasks: [{ state: "MERGED", attempts: 2 }],
      });
      expect(stderr).toContain(told);
      expect(stderr).not.toMatch(/R-AG-001|ENAMETOOLONG|ENOTDIR|could not be removed/);
      expect(repository.git("show", "--name-only", "--format=", "main^2")).toBe("A.txt");
    },
  );

  it("a file in place of the sessions' folder keeps that file", async () => {
    using repository = planned({
      agents: {
        a: [
          [inShell("rm -r .agents-work; echo mine > .agents-work"), answer("OK")],
          [writes("A"), answer("OK")],
        ],
      },
      tasks: [task("A", "a")],
    });
    const { stderr } = await runPlan(repository);
    const ref = /`\.agents-work` was replaced.* it is kept on `(refs\S+)`/.exec(stderr)?.[1] ?? "";
    expect(repository.git("show", `${ref}:.agents-work`), stderr).toBe("mine");
  });

  it.each([["deep", "rm -rf deep"]])(
    "a folder that is nested too deep is refused to the agent that takes over, which starts there",
    async (path, repairs) => {
      using repository = planned({
        agents: {
          quick: [[inShell(makesDeep(path)), answer("OK")]],
          strong: [[inShell(repairs), writes("A"), answer("OK")]],
        },
        settings: { quick: "escalate_to: strong" },
        tasks: [task("A", "quick")],
      });
      const { status, stderr, done } = await runPlan(repository);
      expect({ status, tasks: done.tasks }, stderr).toMatchObject({
        status: 0,
        tasks: [{ state: "MERGED", agent: "strong" }],
      });
    },
  );
});

describe("checkouts with ignored files whose paths are too long", () => {
  it("stay, each is named with the next step, and the others are cleaned", async () => {
    using repository = planned({
      agents: {
        a: [[inShell(makesDeep("state/deep")), writes("A"), answer("OK")]],
        b: [[writes("B"), answer("OK")]],
      },
      tasks: [task("A", "a"), task("B", "b")],
    });
    const { status, stderr, states } = await runPlan(repository);
    expect({ status, states }, stderr).toEqual({ status: 0, states: { A: "MERGED", B: "MERGED" } });
    expect(stderr).toMatch(
      /the checkout of `\S+\/A` could not be removed and stays in `\S+`: `state\/deep\/.*: remove it/,
    );
    const disk = await repository.run(["status", "--disk", "--json"]);
    expect(disk.status, disk.stderr).toBe(0);
    const cleaned = await repository.run(["clean", "--older", "0", "--json"]);
    const { freed, left } = JSON.parse(cleaned.stdout) as { freed: { what: string }[]; left: string[] };
    expect({ status: cleaned.status, left }).toEqual({
      status: 1,
      left: [expect.stringMatching(/^the checkout of `\S+\/A` could not be removed and stays in/)],
    });
    expect(freed.map(({ what }) => what)).toContain("logs of finished work");
    expect(freed.map(({ what }) => what)).not.toContain("checkouts of tasks that are over");
    const folder = /stays in `([^`]+)`/.exec(left[0] ?? "")?.[1] ?? "";
    execFileSync("rm", ["-rf", "state/deep"], { cwd: folder });
    expect((await repository.run(["clean", "--older", "0"])).status).toBe(0);
    expect(existsSync(folder)).toBe(false);
    expect(readdirSync(join(repository.path, ".agents-work")).length).toBeGreaterThan(0);
  });
});
