import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { uncomparedCalls } from "../../src/guard/world/pending-calls.ts";
import { eachStrayGround } from "../support/each-stray-ground.ts";
import { heldGuard } from "../support/held-guard.ts";
import { ended } from "../support/stray-ground.ts";

const ground = eachStrayGround();
afterEach(() => {
  vi.useRealTimers();
});

const read = (more: object = {}) => ({
  ...{ session_id: "s1", cwd: ground.repository.path, hook_event_name: "PreToolUse", tool_use_id: "t9" },
  ...{ tool_name: "Read", tool_input: { file_path: "README.md" }, ...more },
});
const bash = (command: string) => read({ tool_name: "Bash", tool_input: { command } });
const stray = () => writeFileSync(ground.at("docs/guide.md"), "strayed\n");
const pending = () => uncomparedCalls(ground.at(".git/lockstep/trees"), Date.now() + 60 * 60 * 1000);
const later = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });

/** A call that changes files outside its lock, and whose end the client never reports. */
async function interrupted(more: object = {}): Promise<void> {
  expect(await ground.said(ground.mcp({}, more))).toBe("allowed");
  stray();
}

describe("a call that was not compared when it ended", () => {
  it("is compared before the next call of its task, which gets the result", async () => {
    await interrupted();
    // The record of a hook that was killed during the comparison.
    const [file = ""] = readdirSync(ground.at(".git/lockstep/trees/pending"));
    const path = ground.at(`.git/lockstep/trees/pending/${file}`);
    const record = JSON.parse(ground.text(`.git/lockstep/trees/pending/${file}`));
    writeFileSync(path, JSON.stringify({ ...record, isOver: true }));
    expect(await ground.said(read())).toMatch(
      /an earlier call changed files outside the lock scope.*docs\/guide\.md.*put back.*then repeat this call/,
    );
    expect(ground.text("docs/guide.md")).toBe("x\n");
    expect(pending()).toEqual([]);
    expect(await ground.said(read())).toBe("allowed");
  });

  it("is compared once if the next call comes meanwhile, which waits for it", async () => {
    using held = await heldGuard();
    const { path } = held.repository;
    const call = { ...ground.mcp({}), cwd: path };
    expect(await held.answer("claude", call)).toMatchObject({ exit: 0 });
    held.repository.write("docs/guide.md", "strayed\n");
    const [after, next] = await Promise.all([
      held.answer("claude", ended(call)),
      held.answer("claude", { ...read(), cwd: path }),
    ]);
    expect(readFileSync(join(path, "docs/guide.md"), "utf8")).toBe("x\n");
    expect(after.stderr + after.stdout).toContain("docs/guide.md");
    expect([0, 2]).toContain(next.exit);
    const found = await held.repository.withEngine(({ ledger }) => ledger.events({ type: "guard.strayed" }));
    expect(found).toHaveLength(1);
  });

  it.each([
    ["the session stops", { hook_event_name: "Stop" }],
    ["the session ends", { hook_event_name: "SessionEnd" }],
  ])("is compared when %s", async (_name, event) => {
    await interrupted();
    await ground.said(read({ ...event, tool_name: undefined, tool_input: undefined }));
    expect(ground.text("docs/guide.md")).toBe("x\n");
    expect(pending()).toEqual([]);
  });

  it("is compared before its task is submitted", async () => {
    await interrupted();
    expect(await ground.said(bash("lockstep submit T-A src/a/result.json"))).toContain("docs/guide.md");
    expect(ground.text("docs/guide.md")).toBe("x\n");
  });

  it("is compared before the first call of another session of its task", async () => {
    await interrupted();
    expect(await ground.said(read({ session_id: "s2" }))).toContain("docs/guide.md");
    expect(pending()).toEqual([]);
  });

  it("may still be running beside the next call of its session, and is compared at intervals", async () => {
    await interrupted();
    expect(await ground.said(read())).toBe("allowed");
    later(60_000);
    expect(await ground.said(read())).toContain("docs/guide.md");
    expect(ground.text("docs/guide.md")).toBe("x\n");
    expect(pending()).toHaveLength(1);
    stray();
    expect(await ground.said(read())).toBe("allowed");
    expect(await ground.said(ended(ground.mcp({})))).toContain("docs/guide.md");
    expect(pending()).toEqual([]);
  });

  it("is not compared by another task's call", async () => {
    await interrupted();
    const other = await ground.repository.dispatch("T-B", ["src/b/**"]);
    expect(await ground.said(read({ session_id: "s2" }), { by: other })).toBe("allowed");
    expect(pending()).toHaveLength(1);
  });

  it("keeps its snapshot until it is compared, however old it is", async () => {
    await interrupted();
    later(3 * 24 * 60 * 60 * 1000);
    const other = await ground.repository.dispatch("T-B", ["src/b/**"]);
    await ground.calls(() => {}, ground.mcp({}, { session_id: "s3", tool_use_id: "t3" }), { by: other });
    expect(pending()).toHaveLength(1);
    const pictures = readdirSync(ground.at(".git/lockstep/trees")).filter((name) =>
      name.startsWith("before-"),
    );
    expect(pictures.length).toBeGreaterThan(0);
  });

  it("is shown to the person", async () => {
    await interrupted();
    const [file = ""] = readdirSync(ground.at(".git/lockstep/trees/pending"));
    const record = JSON.parse(ground.text(`.git/lockstep/trees/pending/${file}`));
    writeFileSync(
      ground.at(`.git/lockstep/trees/pending/${file}`),
      JSON.stringify({ ...record, isOver: true }),
    );
    expect(await ground.repository.run("status")).toMatch(
      /1 call was not checked .* by task T-A at .*`git status`/,
    );
    rmSync(ground.at(`.git/lockstep/trees/pending/${file}`));
    expect(await ground.repository.run("status")).not.toContain("not checked for writes");
  });
});
