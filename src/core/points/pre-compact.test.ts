import { describe, expect, it } from "vitest";
import { altered } from "../../../test/support/altered.ts";
import { judge, memoryPorts } from "../../../test/support/judge.ts";
import type { Snapshot } from "./ports.ts";
import * as preCompact from "./pre-compact.ts";

const payload = {
  session: "demo",
  snapshot: {
    ledger: [{ task_id: "T-1" }],
    locks: [{ task_id: "T-1", resource: "src" }],
    blockers: ["the network"],
    learnings: ["use pytest"],
    other: 1,
  },
};

describe("before compaction", () => {
  it.each<[string, Record<string, unknown>, string]>([
    ["all four parts", {}, "OK"],
    ["no session", { session: undefined }, "OK"],
    ["a blank session", { session: " " }, "R-CP-001"],
    ["a session with a line break", { session: "a\nb" }, "R-CP-001"],
    ["no snapshot", { snapshot: undefined }, "R-CP-001"],
    ["a list as snapshot", { snapshot: [] }, "R-CP-001"],
    ["no ledger", { "snapshot.ledger": undefined }, "R-CP-001"],
    ["no locks", { "snapshot.locks": undefined }, "R-CP-001"],
    ["no blockers", { "snapshot.blockers": null }, "R-CP-001"],
    ["no learnings", { "snapshot.learnings": undefined }, "R-CP-001"],
    ["learnings as a text", { "snapshot.learnings": "use pytest" }, "R-CP-001"],
  ])("%s: %o gives %s", async (_, changes, code) => {
    expect((await judge(preCompact, altered(payload, changes))).code).toBe(code);
  });

  it("names every missing part", async () => {
    const { details } = await judge(preCompact, altered(payload, { snapshot: { locks: [], blockers: {} } }));
    expect(details).toEqual({ missing: ["ledger", "blockers", "learnings"] });
  });

  it("denies when the snapshot cannot be written", async () => {
    const ports = { ...memoryPorts(), saveSnapshot: async () => ({ error: "disk full" }) };
    const verdict = await judge(preCompact, payload, ports);
    expect(verdict.code).toBe("R-CP-002");
    expect(verdict.reason).toBe("the snapshot cannot be written: disk full");
  });

  it("saves the four parts once, and returns the path", async () => {
    const saved: [string | undefined, Snapshot][] = [];
    const ports = {
      ...memoryPorts(),
      saveSnapshot: async (session: string | undefined, snapshot: Snapshot) => {
        saved.push([session, snapshot]);
        return { path: "/snapshots/demo.json" };
      },
    };
    const point = { ...preCompact, factsOf: () => facts };
    const facts = preCompact.factsOf(payload, ports);
    expect((await judge(point, payload, ports)).code).toBe("OK");
    expect(await preCompact.allowDetails(facts)).toEqual({ path: "/snapshots/demo.json" });
    const { other: _, ...parts } = payload.snapshot;
    expect(saved).toEqual([["demo", parts]]);
  });

  it("saves nothing when a part is missing", async () => {
    const saveSnapshot = () => Promise.reject(new Error("must not be called"));
    const verdict = await judge(preCompact, { snapshot: {} }, { ...memoryPorts(), saveSnapshot });
    expect(verdict.code).toBe("R-CP-001");
  });
});
