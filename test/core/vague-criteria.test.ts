import { describe, expect, it } from "vitest";
import { answer, planned, runPlan, task, writes } from "../support/planned-repository.ts";
import { temporaryRepository } from "../support/run-command.ts";

const better = "name a command or what to look at, such as `cmd: npm test` or ";
const vague = (id: string) => task(id, "a", ", done_when: [good]").replace(`goal: do ${id}`, "goal: fix it");

describe("vague goals and criteria", () => {
  it("are reported before a run, with better ones, and nothing is refused", async () => {
    using repository = planned({
      agents: { a: [[writes("A"), answer("OK")]] },
      tasks: [vague("A"), task("B", "a")],
    });
    const preview = await repository.run(["run", "--dry-run"]);
    expect(preview.status, preview.stderr).toBe(0);
    const warnings = preview.stdout.split("\n").filter((line) => line.startsWith("warning: "));
    expect(warnings).toEqual([
      expect.stringMatching(/^warning: A: the goal `fix it` does not say what will change: .* such as `/),
      expect.stringContaining(`warning: A: \`good\` cannot be checked: ${better}`),
    ]);
    const { stdout } = await repository.run(["run", "--dry-run", "--json"]);
    expect((JSON.parse(stdout) as { warnings: string[] }).warnings.map((line) => `warning: ${line}`)).toEqual(
      warnings,
    );
    const { stderr, states } = await runPlan(repository);
    for (const line of warnings) expect(stderr).toContain(line);
    expect(states).toMatchObject({ A: "MERGED" });
  });

  it("of many tasks are counted at the start of a run, and listed in its preview", async () => {
    const ids = ["A", "B", "C", "D"];
    using repository = planned({ agents: { a: [[answer("BLOCKED")]] }, tasks: ids.map(vague) });
    const { stdout } = await repository.run(["run", "--dry-run"]);
    expect(stdout.match(/^warning: /gm)).toHaveLength(8);
    const { stderr } = await runPlan(repository);
    expect(stderr.match(/warning: [A-D]: /g)).toHaveLength(5);
    expect(stderr).toContain("warning: 3 more like these: `lockstep run --dry-run` lists them");
  });

  it("are reported when a task is added, and the task is added anyway", async () => {
    using repository = temporaryRepository();
    const words = ["task", "add", "T-1", "--scope", "src", "--check", "stuff", "--check", "cmd: npm test"];
    const added = await repository.run([...words, "--json"]);
    expect({ ...added, stdout: JSON.parse(added.stdout) }).toMatchObject({
      status: 0,
      stdout: { allow: true },
      stderr: expect.stringMatching(/^warning: `stuff` cannot be checked: .*\n$/),
    });
    const clear = await repository.run(["task", "add", "T-2", "--scope", "lib", "--check", "reads well"]);
    expect(clear).toMatchObject({ status: 0, stderr: "" });
  });
});
