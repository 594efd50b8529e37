import { describe, expect, it } from "vitest";
import { statusText } from "../../src/cli/look/status.ts";
import { table } from "../../src/cli/output/table.ts";
import { displayWidth, shortened } from "../../src/core/text/display-width.ts";
import { operate } from "../../src/engine/operate.ts";
import { readStatus } from "../../src/engine/views/read-status.ts";
import { dispatch, memoryEngine, packet, person, type TestEngine } from "../support/memory-engine.ts";
import { sampleTask } from "../support/sample-task.ts";

const session = "2026-02-14_shop";

async function textOf(engine: TestEngine): Promise<string> {
  return statusText({ ...(await readStatus(engine)), isRunning: false });
}

describe("the status for people", () => {
  it("shows part of thousands of tasks, with the number of omitted ones, ordered by what is shown", async () => {
    const engine = await memoryEngine();
    const names = Array.from({ length: 1200 }, (_, at) => `T-${at + 1}`);
    const isMerged = (at: number) => at >= 1000;
    await engine.ledger.commit({
      tasks: names.map((id, at) => {
        // The older session has the later name.
        const own = at % 2 === 0 ? "2026-02-14_a" : "2026-02-13_z";
        const state = isMerged(at) ? "MERGED" : "PENDING";
        return sampleTask({ key: `${own}/${id}`, id, session: own, version: 0, state });
      }),
      events: names.map((id, at) => ({
        ...{
          at: "2026-02-14T20:00:00.000Z",
          type: "task.created",
          actor: "person",
          cause: "test",
          from: null,
        },
        task: `${at % 2 === 0 ? "2026-02-14_a" : "2026-02-13_z"}/${id}`,
        to: isMerged(at) ? "MERGED" : "PENDING",
        data: {},
      })),
    });
    const lines = (await textOf(engine)).split("\n");
    const rows = lines.filter((line) => line.startsWith("T-")).map((line) => line.split(/ +/)[0]);
    expect(rows.slice(0, 20)).toEqual(names.slice(0, 20));
    expect(rows).toHaveLength(40);
    expect(lines).toContain("and 1160 more: 980 PENDING, 180 MERGED; `lockstep task list` shows all");
    expect(lines).toContain("1000 PENDING, 200 MERGED");
  });

  it("lists tasks that a person stopped among the open questions, with the tasks that wait for them", async () => {
    const engine = await memoryEngine();
    await dispatch(engine, packet(`${session}/A`, ["src"]));
    await operate(engine, "task-add", { packet: packet(`${session}/B`, ["src/b"]) }, person);
    await operate(
      engine,
      "task-add",
      { packet: packet(`${session}/C`, ["c"], { depends_on: [`${session}/A`] }) },
      person,
    );
    await operate(engine, "take", { task: `${session}/A` }, person);
    expect(await textOf(engine)).toMatch(/^B .* waits for A \(holds src, waits for you\)$/m);
    await operate(engine, "stop", { task: `${session}/A` }, person);
    const text = await textOf(engine);
    expect(text).toMatch(/^waiting for you\n {2}A {2}.*stopped.*\n {6}lockstep task retry A\n/);
    expect(text).toMatch(/^C .* waits for A \(waits for you\)$/m);
  });
});

describe("a table", () => {
  it("aligns any text, and shortens names and commands in the middle", () => {
    const long = `npm test -- ${"very/long/path/".repeat(20)}last.test.ts`;
    const text = table(
      ["CHECK", "OUTCOME"],
      [
        ["価格の丸め", "pass"],
        ["👩‍👩‍👧 done", "pass"],
        [long, "fail"],
        ["plain", "pass"],
      ],
    );
    const lines = text.trimEnd().split("\n");
    const at = lines.map((line) => displayWidth(line.replace(/(?:OUTCOME|pass|fail)$/, "")));
    expect(new Set(at)).toEqual(new Set([62]));
    expect(text).toMatch(/^npm test -- very.*….*last\.test\.ts {2}fail$/m);
  });

  it.each([
    ["abcdefghij", 7, "abc…hij"],
    ["abcdefghij", 6, "abc…ij"],
    ["abcdefghij", 10, "abcdefghij"],
    ["価格の丸め方", 7, "価格…方"],
    ["abc", 1, "…"],
    ["abc", 0, ""],
  ])("shortens %s to %i columns", (text, columns, short) => {
    expect(shortened(text, columns)).toBe(short);
    expect(displayWidth(shortened(text, columns))).toBeLessThanOrEqual(columns);
  });
});
