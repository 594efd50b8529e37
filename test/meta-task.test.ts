import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defaultPlan } from "../src/cli/default-plan.ts";
import { operate } from "../src/engine/operate.ts";
import { reportSession } from "../src/run/session-report.ts";
import { dispatch, memoryEngine, packet, person } from "./support/memory-engine.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const session = "2026-02-14_shop";

describe("what a session does as a whole", () => {
  it("is no task: neither of the status, nor of a plan that goes on, nor of a report", async () => {
    using folder = temporaryFolder({ [`.agents-work/${session}/tasks.yaml`]: "tasks: []\n" });
    const engine = await memoryEngine();
    await dispatch(engine, packet(`${session}/meta`, [`.agents-work/${session}/spec.md`]));
    expect(await operate(engine, "status", {}, person)).toMatchObject({ tasks: [], outcome: null });
    expect(await operate(engine, "task-list", {}, person)).toEqual([]);
    expect(await operate(engine, "task-show", { task: `${session}/meta` }, person)).toMatchObject({
      state: "IN_PROGRESS",
    });
    expect(await defaultPlan(engine, folder.path)).toBe("tasks.yaml");
    await dispatch(engine, packet(`${session}/T-1`, ["src"]));
    expect(await operate(engine, "status", {}, person)).toMatchObject({ tasks: [{ id: `${session}/T-1` }] });
    const copy = join(folder.path, ".agents-work", session, "tasks.yaml");
    expect(await defaultPlan(engine, folder.path)).toBe(copy);
    const report = await reportSession(engine, folder.path, { session, reverted: [], wayBack: [] });
    expect(report.state).toEqual({ IN_PROGRESS: 1 });
    expect(readFileSync(join(folder.path, report.file), "utf8")).not.toContain("meta");
  });
});
