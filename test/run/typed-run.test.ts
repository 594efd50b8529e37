import { describe, expect, it } from "vitest";
import { answer, planned, runPlan, task, writes } from "../support/planned-repository.ts";

describe("a task of a type", () => {
  const typed = (implementers: string) =>
    planned({
      agents: { quick: [["exit: 3"]], strong: [[writes("A"), answer("OK")]] },
      settings: { quick: "escalate_to: strong, fallback: strong" },
      tasks: [task("A", "quick", ", type: product")],
      config: `task_types: { product: { agents: { implementer: [${implementers}] } } }\n`,
    });

  it("is given only to agents that are configured for the type", async () => {
    using open = typed("quick, strong");
    expect((await runPlan(open)).done.tasks).toMatchObject([{ state: "MERGED", agent: "strong" }]);
    using closed = typed("quick");
    const { done, stderr } = await runPlan(closed);
    expect(done.tasks).toMatchObject([{ state: "ESCALATED", agent: "quick", attempts: 2 }]);
    expect(stderr).not.toContain("started by strong");
  });
});
