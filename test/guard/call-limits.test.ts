import { expect, it } from "vitest";
import type { Holder } from "../../src/engine/views/guard-facts.ts";
import { limitsWithoutTask } from "../../src/guard/judge/call-limits.ts";
import { memoryDisk } from "../support/memory-disk.ts";

const place = { root: "/repo", cwd: "/repo" };
const boot = "boot-1";

function holder(key: string, leaseState: Holder["leaseState"], timeoutSeconds: number): Holder {
  return {
    ...{
      key,
      id: key,
      session: null,
      state: "IN_PROGRESS",
      epoch: 1,
      boundAgent: null,
      forbidden: [],
      answers: [],
    },
    leaseState,
    lease: { boot, beatMs: 0, timeoutSeconds },
    locks: [{ resource: `src/${key}`, shapes: [{ segments: ["src", key], deep: true }] }],
  };
}

it("the scope of a task is free once its lease has ended, even without a new event", () => {
  const facts = {
    breaker: "CLEAR",
    holders: [holder("short", "running", 10), holder("long", "running", 20), holder("waiting", "held", 1)],
  } as const;
  const heldAt = (monoMs: number) => {
    const clock = { now: () => ({ wallMs: 0, monoMs, boot }) };
    const world = { place, checkout: undefined, disk: memoryDisk({}), scratch: [], closed: [], clock };
    const asking = { call: { folder: "/repo" }, world, facts, settings: { protectedPaths: [] } };
    const { others } = limitsWithoutTask(asking, "locked");
    return facts.holders
      .map(({ key }) => key)
      .filter((key) => others?.entryOf(`src/${key}/a.ts`) !== undefined);
  };
  expect(heldAt(0)).toEqual(["short", "long", "waiting"]);
  expect(heldAt(10_000)).toEqual(["short", "long", "waiting"]);
  expect(heldAt(10_001)).toEqual(["long", "waiting"]);
  expect(heldAt(20_000)).toEqual(["long", "waiting"]);
  expect(heldAt(20_001)).toEqual(["waiting"]);
});
