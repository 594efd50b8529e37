import { describe, expect, it } from "vitest";
import { memoryEngine, packet, person } from "../../../test/support/memory-engine.ts";
import { operate } from "../../engine/operate.ts";
import { TaskNames } from "../../view/task-names.ts";
import { findOnlyTask, findTask } from "./find-task.ts";

describe("a task named without its session", () => {
  it("is found in the newest session, preferring sessions in which it is not finished", async () => {
    const engine = await memoryEngine();
    const add = async (key: string) => {
      engine.sleep(1);
      await operate(engine, "task-add", { packet: packet(key, [key]) }, person);
    };
    const found = async () => {
      const { key } = await findTask(engine, "T-1");
      const { of } = new TaskNames(await engine.ledger.tasks());
      const others = ["2026-02-14_a/T-1", "2026-02-14_b/T-1"].filter((other) => other !== key);
      expect([of(key), ...others.map(of)]).toEqual(["T-1", ...others]);
      return key;
    };
    await add("2026-02-14_b/T-1");
    await add("2026-02-14_a/T-1");
    expect(await found()).toBe("2026-02-14_a/T-1");
    await operate(engine, "task-cancel", { task: "2026-02-14_a/T-1", reason: "no" }, person);
    expect(await found()).toBe("2026-02-14_b/T-1");
    await operate(engine, "task-cancel", { task: "2026-02-14_b/T-1", reason: "no" }, person);
    expect(await found()).toBe("2026-02-14_a/T-1");
  });

  it("is refused with a list of the candidates before an action that cannot be undone", async () => {
    const engine = await memoryEngine();
    for (const session of ["2026-02-14_a", "2026-02-14_b"]) {
      engine.sleep(1);
      await operate(engine, "task-add", { packet: packet(`${session}/T-1`, [session]) }, person);
    }
    const message =
      "2 tasks are called `T-1`: name one of them: `2026-02-14_b/T-1` (PENDING), `2026-02-14_a/T-1` (PENDING)";
    await expect(findOnlyTask(engine, "T-1")).rejects.toThrow(message);
    await expect(findOnlyTask(engine, "2026-02-14_a/T-1")).resolves.toMatchObject({
      session: "2026-02-14_a",
    });
    const isOlder = ({ session }: { session: string | null }) => session === "2026-02-14_a";
    await expect(findOnlyTask(engine, "T-1", isOlder)).resolves.toMatchObject({ key: "2026-02-14_a/T-1" });
    // A task without a session has no longer name.
    await operate(engine, "task-add", { packet: packet("T-1", ["src"]) }, person);
    await expect(findOnlyTask(engine, "T-1")).resolves.toMatchObject({ key: "T-1" });
  });

  it("is the task without a session, if there is one", async () => {
    const engine = await memoryEngine();
    await operate(engine, "task-add", { packet: packet("T-1", ["src"]) }, person);
    await operate(engine, "task-add", { packet: packet("2026-02-14_a/T-1", ["src"]) }, person);
    expect((await findTask(engine, "T-1")).key).toBe("T-1");
    const { of } = new TaskNames(await engine.ledger.tasks());
    expect(["T-1", "2026-02-14_a/T-1"].map(of)).toEqual(["T-1", "2026-02-14_a/T-1"]);
    await expect(findTask(engine, "T-9")).rejects.toThrow("there is no task `T-9`");
  });
});
