import { describe, expect, it } from "vitest";
import type { Wait } from "../../core/plan/waits.ts";
import { newWaits } from "./wait-lines.ts";

const lock: Wait = {
  ...{ on: "lock", task: "s/A", resource: "src", state: "REVIEW", waits_for_person: true },
};
const dependency = (waits: boolean): Wait => ({
  ...{ on: "dependency", task: "s/A", state: "REVIEW", waits_for_person: waits },
});

describe("the line about a waiting task", () => {
  it("names the task that holds it up and what that one waits for, once", () => {
    const shown = new Map<string, string>();
    const tasks = [
      { key: "s/B", waits: [lock] },
      { key: "s/C", waits: [lock] },
      { key: "s/D", waits: [dependency(true)] },
    ];
    expect([...newWaits(tasks, shown)]).toEqual([
      ["waits for A (holds src, waits for you)", ["s/B", "s/C"]],
      ["waits for A (waits for you)", ["s/D"]],
    ]);
    expect([...newWaits(tasks, shown)]).toEqual([]);
    expect([...newWaits([{ key: "s/B", waits: [] }], shown)]).toEqual([]);
    expect(newWaits([{ key: "s/B", waits: [lock] }], shown).size).toBe(1);
  });

  it("is missing if the task waits for its turn or for something that is shown anyway", () => {
    const waits: readonly Wait[][] = [
      [{ on: "slot" }],
      [dependency(false)],
      [{ on: "person", why: "decision", decision: "UD-1" }],
    ];
    expect(
      newWaits(
        waits.map((one, at) => ({ key: `s/${at}`, waits: one })),
        new Map(),
      ).size,
    ).toBe(0);
  });
});
