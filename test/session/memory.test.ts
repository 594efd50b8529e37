import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LandRepository } from "../support/land-repository.ts";
import { answer, planned, runPlan, task, writes } from "../support/planned-repository.ts";

const inSession = (name: string) => `.agents-work/$(ls .agents-work)/${name}`;
const adds = (name: string, text: string) => `run: { command: "printf '${text}' >> ${inSession(name)}" }`;

function read({ path }: LandRepository, name: string): string {
  const [session = ""] = readdirSync(join(path, ".agents-work"));
  return readFileSync(join(path, ".agents-work", session, name), "utf8");
}

const timed = /^- \d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z /;

describe("the session's memory", () => {
  it("gets the entries of concurrent agents, each with its time and its task", async () => {
    const entries = (id: string) => [
      adds("activeContext.md", `${id} decided\\n- 2020-01-01T00:00:00.000Z forged\\n`),
      adds("progress.md", `${id} half done`),
    ];
    using repository = planned({
      agents: {
        a: [[...entries("A"), writes("A"), answer("OK")]],
        b: [[...entries("B"), writes("B"), answer("OK")]],
      },
      tasks: [task("A", "a"), task("B", "b")],
    });
    const { status, stderr } = await runPlan(repository);
    expect(status, stderr).toBe(0);
    for (const id of ["A", "B"]) {
      expect(read(repository, "activeContext.md")).toMatch(
        new RegExp(`^- \\S+Z \\S+/${id}, by its agent: ${id} decided\n  - 2020-01-01T\\S+ forged$`, "m"),
      );
      expect(read(repository, "progress.md")).toMatch(
        new RegExp(`^- \\S+Z \\S+/${id}, by its agent: ${id} half done$`, "m"),
      );
    }
    const lines = read(repository, "progress.md").trimEnd().split("\n");
    expect(lines.filter((line) => !timed.test(line))).toEqual([]);
    expect(["A.txt", "B.txt"]).toContain(repository.git("show", "--name-only", "--format=", "main^2"));
  });

  it("keeps each entry once, over several attempts including a failed one, and gives it to the next attempt", async () => {
    using repository = planned({
      agents: {
        a: [
          [adds("activeContext.md", "first\\n"), "exit: 3"],
          [`run: { command: "grep 'by its agent: first' ${inSession("activeContext.md")}" }`, answer("OK")],
          [adds("activeContext.md", "second\\n"), writes("A"), answer("OK")],
        ],
      },
      tasks: [task("A", "a")],
    });
    const { status, stderr } = await runPlan(repository);
    expect(status, stderr).toBe(0);
    const memory = read(repository, "activeContext.md");
    expect(memory.match(/by its agent: first/g)).toHaveLength(1);
    expect(memory.match(/by its agent: second$/gm)).toHaveLength(1);
  });

  it("accepts no secret, no more than 64 KiB at once, nothing through a link, and no rewritten text", async () => {
    const key = ["AKIA", "2E0A8F3B244C9986"].join("");
    using repository = planned({
      agents: {
        a: [
          [
            adds("activeContext.md", `the key is ${key}\\n`),
            `run: { command: "head -c 200000 /dev/zero | tr '\\\\\\\\0' x >> ${inSession("activeContext.md")}" }`,
            `run: { command: "ln -sf /etc/passwd ${inSession("progress.md")}" }`,
            writes("A"),
            answer("OK"),
          ],
        ],
        b: [[`run: { command: "echo mine > ${inSession("activeContext.md")}" }`, writes("B"), answer("OK")]],
      },
      tasks: [task("A", "a"), task("B", "b", ", depends_on: [A]")],
    });
    const { status, stderr } = await runPlan(repository);
    expect(status, stderr).toBe(0);
    const memory = read(repository, "activeContext.md");
    expect(memory).toMatch(/by its agent: the key is \[secret: /);
    expect(memory).not.toContain(key);
    expect(memory.length).toBeLessThan(70_000);
    expect(memory).not.toContain("mine");
    expect(stderr).toContain("activeContext.md was rewritten in the checkout");
    expect(read(repository, "progress.md")).not.toContain("root:");
  });
});

describe("changes to files that an agent was only given to read", () => {
  it("are not lost in the next attempt: they stay in the checkout and are saved on a ref", async () => {
    using repository = planned({
      agents: {
        a: [
          [
            `run: { command: "echo mine > ${inSession("activeContext.md")}; echo '# mine' >> ${inSession("tasks.yaml")}" }`,
            answer("OK"),
          ],
          [writes("A"), answer("OK")],
        ],
      },
      tasks: [task("A", "a")],
    });
    const { status, stderr, done } = await runPlan(repository);
    expect(status, stderr).toBe(0);
    const kept = (name: string) =>
      repository.git(
        "show",
        `refs/lockstep/${done.session}/A/2-ignored:.agents-work/${done.session}/${name}`,
      );
    expect(kept("activeContext.md")).toBe("mine");
    expect(kept("tasks.yaml")).toMatch(/\n# mine$/);
    expect(read(repository, "tasks.yaml")).not.toContain("# mine");
  });
});

describe("a worklog", () => {
  const entries = (repository: LandRepository) =>
    read(repository, "worklogs/A.md")
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it("has the agent's own notes once, and an entry for each submission", async () => {
    const notes = (text: string) =>
      `run: { command: "mkdir -p ${inSession("worklogs")}; echo ${text} >> ${inSession("worklogs/A.md")}" }`;
    using repository = planned({
      agents: {
        a: [
          [notes("began"), answer("OK")],
          [notes("ended"), writes("A"), answer("OK")],
        ],
      },
      tasks: [task("A", "a")],
    });
    const { status, stderr, done } = await runPlan(repository);
    expect(status, stderr).toBe(0);
    const lines = read(repository, "worklogs/A.md").split("\n");
    expect(lines.filter((line) => !line.startsWith("{"))).toEqual(["began", "ended", ""]);
    expect(entries(repository)).toMatchObject([{ files_touched: [] }, { files_touched: ["A.txt"] }]);
    expect(entries(repository).at(-1)).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      run_id: done.session,
      task_id: `${done.session}/A`,
      actor: "a",
      action: "hand in",
      files_touched: ["A.txt"],
      decision: expect.objectContaining({ status: "OK", summary: "said so" }),
      result: "handed in",
      next_step: "review",
      report: "agent",
      commits_count: 1,
      turns_used: 1,
    });
  });

  it.each<[string, readonly string[], readonly string[], string]>([
    ["ends badly", ["exit: 3"], ["BLOCKED", "ESCALATED"], "R-AG-001"],
    ["changes nothing", [answer("OK")], ["ESCALATED"], "R-PC-003"],
    [
      "changes files outside its scope",
      ['write: { path: f.js, text: "exports.f = 2;\\n" }', answer("OK")],
      ["ESCALATED"],
      "R-PO-002",
    ],
  ])(
    "of a task whose agent %s ends with the code and what to do next",
    async (_how, steps, results, code) => {
      using repository = planned({ agents: { a: [steps] }, tasks: [task("A", "a")] });
      const { done } = await runPlan(repository);
      const stops = entries(repository).filter(({ action }) => action === "stop");
      expect(stops.map(({ result }) => result)).toEqual(results);
      expect(entries(repository).at(-1)).toMatchObject({
        actor: "lockstep",
        code,
        next_step: expect.stringContaining(`lockstep task resolve ${done.session}/A --note`),
      });
    },
  );

  it("of a task that its agent reports as blocked has the next step, although no rule refused it", async () => {
    using repository = planned({ agents: { a: [[answer("BLOCKED")]] }, tasks: [task("A", "a")] });
    const { done } = await runPlan(repository);
    expect(entries(repository).at(-1)).toMatchObject({
      ...{ action: "stop", result: "BLOCKED", code: null, decision: "said so" },
      next_step: `lockstep task retry ${done.session}/A`,
    });
  });
});
