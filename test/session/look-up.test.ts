import { describe, expect, it } from "vitest";
import { newSession } from "../../src/core/session/session.ts";
import { lookUp } from "../../src/session/files/look-up.ts";
import { configOf } from "../support/loaded-config.ts";
import { memoryEngine } from "../support/memory-engine.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const name = "2026-02-14_shop";
const base = { base: "main", baseCommit: "a".repeat(40) };

describe("a person's answer at a gate", () => {
  it.each([
    ["approved-on-disk", "UD-APPROVE-DESIGN", "approved"],
    ["strategy-on-disk", "UD-REVIEW-STRATEGY", "per-batch"],
  ] as const)("is %s after it was written to status.json", async (condition, id, answer) => {
    using folder = temporaryFolder();
    const repository = {
      ...base,
      baseRef: "refs/heads/main",
      root: folder.path,
      commonFolder: `${folder.path}/.git`,
    };
    const context = { engine: await memoryEngine(), repository, config: await configOf({}), session: name };
    const session = newSession({ name, goal: "g", mode: "full", ...base }, "2026-02-14T20:00:00.000Z");
    const found = async () => (await lookUp(context, session, [condition]))[condition];
    const lacking = `status.json has no answer to ${id}`;
    expect(await found()).toBe(lacking);
    for (const [entry, holds] of [
      [{ decision_id: id, status: "pending", answer: null }, false],
      [{ decision_id: id, status: "cancelled", answer }, false],
      [{ decision_id: id, status: "answered", answer: `not ${answer}` }, false],
      [{ decision_id: "UD-1", status: "answered", answer }, false],
      [{ decision_id: id, status: "answered", answer }, true],
    ] as const) {
      folder.write(`.agents-work/${name}/status.json`, JSON.stringify({ user_decisions: [entry] }));
      expect(await found()).toBe(holds ? null : lacking);
    }
  });
});
