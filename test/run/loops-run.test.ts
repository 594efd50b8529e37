import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checksByName, type LandRepository, landRepository } from "../support/land-repository.ts";

const answer = `answer: { status: OK, summary: said so, artifacts: { files_changed: [], commands_to_run: [], notes: [] }, gates: { meets_definition_of_done: true, needs_review: false, needs_tests: false, security_concerns: [] }, next: { recommended_agent: Orchestrator, recommended_task_id: same, reason: x } }`;
const makes = 'write: { path: A.txt, text: "made\\n" }';

/** One task for one script agent. Each attempt runs one list of steps; the last list repeats. */
function planned(attempts: readonly (readonly string[])[], limits = "{}", task = ""): LandRepository {
  const listed = attempts.map((steps) =>
    steps.map((step, at) => `${at === 0 ? "  - - " : "    - "}${step}\n`).join(""),
  );
  return landRepository({
    "agents/a.yaml": `attempts:\n${listed.join("")}`,
    ".gitignore": "state\n.agents-work\n",
    ".lockstep/config.yaml": `agents: { a: { adapter: script, run: [agents/a.yaml] } }\n${checksByName}limits: ${limits}\n`,
    "tasks.yaml": `project: { name: shop }\ntasks:\n  - { id: A, goal: make it, agent: a, lock_scope: [A.txt], acceptance_checks: ["cmd: test -e A.txt"]${task} }\n`,
  });
}

interface TaskReport {
  readonly state: string;
  readonly code: string | null;
  readonly attempts: number;
  readonly details: { readonly halt?: Record<string, unknown> };
  readonly usage: Record<string, number | null>;
}

async function run(repository: LandRepository) {
  const { status, stdout, stderr } = await repository.run(["run", "--json"]);
  expect(stdout, stderr).not.toBe("");
  const document = JSON.parse(stdout) as {
    readonly tasks: readonly TaskReport[];
    readonly cost_usd: number | null;
  };
  const [task] = document.tasks;
  const memory = memoryOf(repository);
  return { status, stderr, task: task as TaskReport, cost: document.cost_usd, memory };
}

function memoryOf({ path }: LandRepository): string {
  const [session = ""] = readdirSync(join(path, ".agents-work"));
  return readFileSync(join(path, ".agents-work", session, "activeContext.md"), "utf8");
}

async function warnings(repository: LandRepository): Promise<readonly string[]> {
  const { stdout } = await repository.run(["audit", "list", "--type", "task.warned", "--json"]);
  return (JSON.parse(stdout) as { data: { signal: string } }[]).map(({ data }) => data.signal);
}

describe("a run", () => {
  it.each<[string, readonly string[], string, Record<string, unknown>]>([
    ["tokens", ["usage: { tokens: 60000 }"], "{}", { signal: "tokens", tokens: 60_000, limit: 50_000 }],
    [
      "money",
      ["usage: { tokens: 1, cost_usd: 1.25 }"],
      "{ cost_usd: { warn: 0.5, halt: 1 } }",
      { signal: "cost_usd", cost_usd: 1.25, limit: 1 },
    ],
    [
      "time",
      ["loop: { steps: [{ say: still at it }, { sleep: 0.2 }] }"],
      "{ minutes: { warn: 0.02, halt: 0.05 } }",
      { signal: "minutes" },
    ],
  ])(
    "halts an agent that has used up its %s, keeps the usage, and asks a person",
    async (_name, steps, limits, halt) => {
      using repository = planned([[...steps, "hang: true"]], limits);
      const { status, stderr, task, memory } = await run(repository);
      expect({ status, task, stderr }).toMatchObject({
        status: 3,
        task: { state: "ESCALATED", code: "R-BG-001", attempts: 1, details: { halt } },
      });
      expect(task.details.halt).toMatchObject({ captured: { attempt: 1, review_retries: 0 } });
      expect(stderr).toContain("halted: R-BG-001");
      expect(memory).toMatch(/loop detected in \S+\/A \(event \d+\): R-BG-001/);
      expect(memory).toContain(`"signal":"${String(halt.signal)}"`);
      expect(memory).toContain("task resolve");
    },
  );

  it("halts on the usage that an agent reports at its very end, and counts it", async () => {
    using repository = planned([[makes, "usage: { tokens: 50000, cost_usd: 0.5 }", answer]]);
    const { status, task, cost } = await run(repository);
    expect({ status, task }).toMatchObject({
      status: 3,
      task: { state: "ESCALATED", code: "R-BG-001", usage: { tokens: 50_000, cost_usd: 0.5 } },
    });
    expect(cost).toBe(0.5);
  });

  it("warns once of a budget that is nearly used up, and merges the work", async () => {
    using repository = planned([
      ["usage: { tokens: 40000 }", "sleep: 1.5", "usage: { tokens: 1 }", makes, answer],
    ]);
    const { status, stderr, task, memory } = await run(repository);
    expect({ status, task, stderr }).toMatchObject({ status: 0, task: { state: "MERGED", code: null } });
    expect(stderr.match(/warning: 40000 tokens are spent, the task is halted at 50000/g)).toHaveLength(1);
    expect(await warnings(repository)).toEqual(["tokens"]);
    expect(memory).not.toContain("loop detected");
  });

  it("escalates a task whose work fails three times with the same error, and names the error", async () => {
    const wrong = (text: string) => [makes, `write: { path: A.txt, text: "${text}" }`, answer];
    using repository = planned(
      [wrong("one"), wrong("two"), wrong("three")],
      "{}",
      ', proves: ["grep -q right A.txt"]',
    );
    const { status, task, memory } = await run(repository);
    expect({ status, task }).toMatchObject({
      status: 3,
      task: {
        ...{ state: "ESCALATED", code: "R-PC-002", attempts: 3 },
        details: { halt: { signal: "same_error", count: 3 } },
      },
    });
    expect(memory).toContain('"signal":"same_error"');
  });

  it("counts an edit without effect as a retry and warns; after two cycles without progress it asks a person", async () => {
    using repository = planned([[answer]]);
    const { status, stderr, task, memory } = await run(repository);
    expect({ status, task, stderr }).toMatchObject({
      status: 3,
      task: {
        ...{ state: "ESCALATED", code: "R-PC-003", attempts: 2 },
        details: {
          halt: { signal: "stalled", cycles: 2, limit: 2, captured: { review_retries: 1 } },
        },
      },
    });
    expect(await warnings(repository)).toEqual(["unchanged_edit", "unchanged_edit"]);
    expect(memory).toContain('"signal":"stalled"');
  });

  it("counts the same work with the same error as no progress, and different work as progress", async () => {
    const same = [makes, answer];
    const other = ['write: { path: A.txt, text: "other\\n" }', answer];
    const red = ', proves: ["grep -q right A.txt"]';
    using stuck = planned([same], "{ same_error: 9 }", red);
    expect((await run(stuck)).task).toMatchObject({
      ...{ attempts: 3, code: "R-PC-002" },
      details: { halt: { signal: "stalled" } },
    });
    using trying = planned([same, other, same, other], "{ same_error: 9 }", red);
    const { task } = await run(trying);
    expect(task).toMatchObject({ state: "FAILED", attempts: 4, code: "R-PC-002" });
    expect(task.details.halt).toBeUndefined();
  });
});
