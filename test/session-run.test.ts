import { describe, expect, it } from "vitest";
import { teamRepository } from "./support/team-repository.ts";

describe("a goal", () => {
  it("goes the whole way to done, with a person's word at both gates", async () => {
    using repository = teamRepository();
    const asked = await repository.start("Two small text files");
    expect(asked.status, asked.stderr).toBe(3);
    expect(repository.status()).toMatchObject({ current_state: "APPROVE_DESIGN", mode: "full" });
    expect((await repository.decide("UD-APPROVE-DESIGN", "approved")).status).toBe(0);
    const planned = await repository.resume();
    expect(planned.status, planned.stderr).toBe(3);
    expect(repository.status().current_state).toBe("REVIEW_STRATEGY");
    expect((await repository.decide("UD-REVIEW-STRATEGY", "per-batch")).status).toBe(0);
    const { status, stderr, done } = await repository.resume();
    expect(status, stderr).toBe(0);
    expect(done).toMatchObject({ outcome: "merged", workflow: { state: "DONE" } });
    expect(repository.status().current_state).toBe("DONE");
    expect(repository.git("show", "main:b.txt")).toContain("by T-002");
    expect(repository.file("tasks.yaml").match(/completed/g)).toHaveLength(2);
    expect(await repository.dispatches()).toEqual([
      "SpecAgent",
      "Architect",
      "Planner",
      "Reviewer",
      "Security",
      "Integrator",
      "Docs",
    ]);
  });
});
