import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answer, planned, readRun, task, writes } from "../support/planned-repository.ts";
import { eventually } from "../support/run-command.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** An agent that prints nothing and waits until a file beside the repository exists. */
const silent = (gate: string) => [
  [
    "say: begun",
    `run: { command: 'until [ -e ${gate} ]; do sleep 0.1; done' }`,
    writes("SLOW"),
    answer("OK"),
  ],
];

describe("one silent agent", () => {
  it("does not delay the others: finished work is merged, and free slots are filled meanwhile", async () => {
    using folder = temporaryFolder();
    const gate = join(folder.path, "open");
    using repository = planned({
      agents: {
        slow: silent(gate),
        a: [[writes("A"), answer("OK")]],
        b: [[writes("B"), answer("OK")]],
        c: [[writes("C"), answer("OK")]],
      },
      // Two slots: C can only start in the one that A or B leaves.
      tasks: [
        task("SLOW", "slow"),
        task("A", "a"),
        task("B", "b"),
        task("C", "c", ", depends_on: [A]"),
        task("LAST", "a").replace("LAST.txt]", "SLOW.txt]"),
      ],
      settings: { a: "model: big-1" },
      config: "sandbox: off\nlimits: { max_parallel: 2 }\n",
    });
    using running = repository.start(["run", "--json"]);
    const merged = () => repository.git("log", "--first-parent", "--merges", "--format=%s", "main");
    await eventually("all that can be done is merged", () =>
      merged().split("\n").toSorted().join() === "A: do A,B: do B,C: do C" ? true : undefined,
    );
    expect(existsSync(gate)).toBe(false);
    const status = JSON.parse((await repository.run(["status", "--json"])).stdout);
    const found = Object.fromEntries(status.tasks.map((one: { id: string }) => [one.id, one]));
    expect(found.SLOW).toMatchObject({ state: "IN_PROGRESS", waiting_for: [], waits: [] });
    const { session } = status.tasks.map(({ key }: { key: string }) => ({ session: key.split("/")[0] }))[0];
    expect(found.LAST).toMatchObject({
      id: "LAST",
      key: `${session}/LAST`,
      state: "PENDING",
      waiting_for: [`${session}/SLOW`],
      waits: [{ on: "lock", task: `${session}/SLOW`, resource: "SLOW.txt", waits_for_person: false }],
    });
    expect((await repository.run(["status"])).stdout).toMatch(
      /^LAST .* waits for SLOW \(holds SLOW\.txt\)$/m,
    );
    writeFileSync(gate, "");
    const { stdout } = await running.ended;
    expect(readRun(stdout).states).toMatchObject({ SLOW: "MERGED", A: "MERGED", B: "MERGED", C: "MERGED" });
    // The merge and the commit of the work name its author.
    const trailers = (commit: string) => repository.git("log", "-1", "--format=%(trailers:only)", commit);
    const merge = repository.git("log", "--merges", "--grep=^A: do A$", "--format=%H", "main");
    for (const commit of [merge, `${merge}^2`])
      expect(trailers(commit)).toMatch(
        /^Lockstep-Task: A\n(?:.*\n)*Lockstep-Agent: a\nLockstep-Model: big-1(?:\n|$)/,
      );
    expect(trailers(repository.git("log", "--merges", "--grep=^B: do B$", "--format=%H", "main"))).toMatch(
      /^Lockstep-Agent: b$(?![\s\S]*Lockstep-Model)/m,
    );
    const { stdout: audit } = await repository.run(["audit", "list", "--json", "--limit", "500"]);
    const events = JSON.parse(audit) as { type: string; actor: string; task: string }[];
    expect(new Set(events.map(({ actor }) => actor))).not.toContain("person");
    const byWhom = (type: string) => events.filter((one) => one.type === type && one.task.endsWith("/A"));
    expect(byWhom("task.created")).toMatchObject([{ actor: "run" }]);
    expect(byWhom("task.started")).toMatchObject([{ actor: "run" }]);
    expect(byWhom("task.submitted")).toMatchObject([{ actor: "agent a" }]);
    expect(byWhom("task.merged")).toMatchObject([{ actor: "run" }]);
  });
});
