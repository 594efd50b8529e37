import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { haltTask, warnTask } from "../../src/engine/attempts/halt-task.ts";
import { rememberHalts, tellLoop } from "../../src/run/conduct/task/tell-loops.ts";
import { dispatch, memoryEngine, packet, runner } from "../support/memory-engine.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const session = "2026-02-14_shop";
const refusal = { code: "R-BG-001", reason: "it is in a loop", details: {} } as const;
const halt = { signal: "same_call", count: 10 };

async function halted(root: string) {
  const engine = await memoryEngine();
  for (const [key, scope] of [
    [`${session}/T-1`, "a"],
    ["2026-02-13_old/T-1", "b"],
  ] as const) {
    await dispatch(engine, packet(key, [scope]));
    await warnTask(engine, { task: key, warning: { signal: "edits", reason: "15 edits" } }, runner);
    await haltTask(engine, { task: key, refusal, halt }, runner);
  }
  const folder = join(root, ".agents-work", session);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "activeContext.md");
  const messages: string[] = [];
  const context = {
    ...{ engine, session, repository: { root } },
    remember: (_file: string, text: string) => appendFileSync(file, `- ${text}\n`),
    onTask: (task: string, event: { readonly type: string }) =>
      void messages.push(`${task} ${"text" in event ? event.text : ""}`),
  };
  return { engine, context, messages, memory: () => readFileSync(file, "utf8") };
}

describe("a halt", () => {
  it("that an interrupted run did not record is recorded by the next one, once, and only for its session", async () => {
    using folder = temporaryFolder();
    const { context, memory } = await halted(folder.path);
    await rememberHalts(context);
    const [first, ...more] = memory().match(/loop detected in \S+/g) ?? [];
    expect([first, more]).toEqual([`loop detected in ${session}/T-1`, []]);
    expect(memory()).toContain('diagnostics: {"captured":{"attempt":1,');
    expect(memory()).toContain(`task resolve ${session}/T-1 --note`);
    await rememberHalts(context);
    expect(memory().match(/loop detected/g)).toHaveLength(1);
  });

  it("is also shown, and so are warnings, which are not written into the memory", async () => {
    using folder = temporaryFolder();
    const { engine, context, messages, memory } = await halted(folder.path);
    for (const event of await engine.ledger.events({ task: `${session}/T-1` })) tellLoop(context, event);
    expect(messages).toEqual([
      `${session}/T-1 warning: 15 edits`,
      `${session}/T-1 halted: R-BG-001: it is in a loop`,
    ]);
    expect(memory()).not.toContain("15 edits");
  });
});
