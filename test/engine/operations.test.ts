import { describe, expect, it } from "vitest";
import { operationSchemas } from "../../src/contract/operation-schemas.ts";
import { type OperationName, operations } from "../../src/contract/operations.ts";
import type { Call } from "../../src/engine/change/engine.ts";
import { operate } from "../../src/engine/operate.ts";
import { memoryEngine, packet, person, result } from "../support/memory-engine.ts";

const story: readonly [OperationName, unknown][] = [
  ["task-add", { packet: packet("T-1", ["src"]) }],
  ["task-add", { packet: packet("T-2", ["lib"], { depends_on: ["T-1"] }) }],
  ["dispatch", { packet: packet("T-1", ["src"]), runnerPid: 5 }],
  ["dispatch", { packet: packet("T-3", ["src"]) }],
  ["heartbeat", { task: "T-1", tokens: 7 }],
  ["widen", { task: "T-1", paths: ["docs"], why: "needed" }],
  ["decisions", {}],
  ["decide", { id: "UD-1", answer: "approved" }],
  ["lock-list", { all: true }],
  ["guard-facts", { task: "T-1" }],
  [
    "guard-record",
    {
      task: "T-1",
      kind: "refused",
      agent: null,
      tool: "Write",
      code: "R-PW-001",
      target: "b",
      reason: "x",
      bytes: 1,
    },
  ],
  ["status", {}],
  ["watchdog", {}],
  ["take", { task: "T-1" }],
  ["submit", { task: "T-1", document: result("T-1") }],
  ["complete", { task: "T-1", document: { acceptance_check: [] } }],
  ["task-retry", { task: "T-1", packet: packet("T-1", ["src"], { context_revision: 2 }) }],
  ["release", { task: "T-1" }],
  ["task-escalate", { task: "T-1", reason: "stuck" }],
  ["task-resolve", { task: "T-1", note: "go on" }],
  ["stop", { task: "T-1" }],
  ["task-cancel", { task: "T-1", reason: "enough" }],
  ["task-list", {}],
  ["task-show", { task: "T-2" }],
  ["pause", { reason: "lunch" }],
  ["stop-all", {}],
  ["clear", {}],
  ["audit-list", { limit: 5, newestFirst: true }],
  ["audit-verify", {}],
  ["reconcile", {}],
  ["machine-list", {}],
  ["machine-drain", { machine: "build-2" }],
  ["machine-forget", { machine: "build-2" }],
];

describe("operations", () => {
  it("accept and return what the contract defines", async () => {
    const engine = await memoryEngine({ limits: { widen: "ask" } });
    engine.disk["/repo/worklogs/T-1.md"] = "";
    for (const [name, input] of story) {
      const { input: takes, output: answers } = operationSchemas[name];
      expect(takes.safeParse(input), `input of ${name}`).toMatchObject({ success: true });
      const call: Call = name === "widen" ? { role: "attempt", task: "T-1", epoch: 1 } : person;
      const answer = JSON.parse(JSON.stringify((await operate(engine, name, input as never, call)) ?? null));
      const parsed = answers.safeParse(answer);
      expect(parsed.error?.issues, `answer of ${name}`).toBeUndefined();
      if (name === "submit") engine.disk["/repo/worklogs/T-1.md"] = "x";
    }
    expect(new Set(story.map(([name]) => name)).size).toBe(Object.keys(operations).length);
  });

  it.each(Object.entries(operations))(
    "%s refuses callers that the contract does not name",
    async (name, one) => {
      for (const role of ["orchestrator", "attempt"] as const) {
        const engine = await memoryEngine();
        const call: Call = { role, task: "T-1", epoch: 0 };
        const answer = await operate(
          engine,
          name as OperationName,
          { task: "T-1", paths: [], limit: 1 } as never,
          call,
        );
        const refused = (answer as { code?: string } | undefined)?.code === "R-AU-001";
        expect(refused).toBe(!(one.callers as readonly string[]).includes(role));
      }
    },
  );
});
