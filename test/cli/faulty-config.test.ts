import { describe, expect, it } from "vitest";
import { answer, planned, runPlan, task, writes } from "../support/planned-repository.ts";

const faults = "limitz: 1\nagentz: 2\n";

async function withFaultyConfig() {
  const repository = planned({
    agents: { a: [[writes("T-1"), answer("OK")]] },
    tasks: [task("T-1", "a")],
  });
  await runPlan(repository);
  repository.write(".lockstep/config.yaml", faults);
  return repository;
}

// A person who cannot stop agents or look at them because of a typo would have to kill processes.
describe("a mistake in the configuration", () => {
  it("does not keep a person from looking and stopping, and is told once for each command", async () => {
    using repository = await withFaultyConfig();
    const commands = [
      ...[["stop-all"], ["clear"], ["pause"], ["clear"], ["status"], ["log", "T-1"], ["diff", "T-1"]],
      ...[["decide"], ["task", "list"], ["lock", "list"], ["session", "list"]],
    ];
    for (const words of commands) {
      const { status, stderr } = await repository.run(words);
      expect({ words, status }, stderr).toEqual({ words, status: 0 });
      expect(stderr).toMatch(
        /^lockstep: warning: E-CONFIG: \.lockstep\/config\.yaml:1:1: `limitz` .*\n.*config\.yaml:2:1: `agentz` .*\nlockstep: warning: until that is fixed, this command uses the defaults\n/,
      );
    }
    for (const words of [["stop"], ["take"]]) {
      const { stderr } = await repository.run([...words, "T-1"]);
      expect(stderr).toContain("R-ST-001");
    }
  });

  it("keeps every command from starting, handing in or landing work", async () => {
    using repository = await withFaultyConfig();
    const packet = JSON.stringify({ task_id: "T-2", lock_scope: ["x"] });
    const commands: readonly (readonly string[])[] = [
      ...[["run"], ["do", "x"], ["land", "main"], ["task", "add", "T-2", "--scope", "x"], ["start", "x"]],
      ...[
        ["task", "retry", "T-1"],
        ["dispatch", "-"],
        ["submit", "T-1"],
      ],
    ];
    for (const words of commands) {
      const { status, stdout, stderr } = await repository.run(words, { input: packet });
      expect({ words, status }).toEqual({ words, status: 2 });
      expect(stdout + stderr).toContain("E-CONFIG");
      expect(stderr).not.toContain("uses the defaults");
    }
  });
});
