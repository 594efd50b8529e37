import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { temporaryRepository } from "../support/run-command.ts";

/** Written by the first version with `guard.opaque: sandbox`: a run, a task by hand and a cancelled one. */
const stored = (file: string) => readFileSync(new URL(`../stored/first-sandbox/${file}`, import.meta.url));

describe("a ledger of an earlier version", () => {
  it("opens, verifies, and accepts new events", async () => {
    using repository = temporaryRepository();
    const folder = join(repository.path, ".git/lockstep");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, "state.db"), gunzipSync(stored("state.db.gz")), { mode: 0o600 });
    writeFileSync(join(folder, "audit.head"), stored("audit.head"), { mode: 0o600 });
    const verified = await repository.run(["audit", "verify", "--json"]);
    expect(verified, verified.stdout).toMatchObject({ status: 0 });
    const { stdout } = await repository.run(["status", "--json"]);
    const { tasks } = JSON.parse(stdout) as { tasks: { id: string; state: string; lock_scope?: unknown }[] };
    expect(tasks.map(({ id, state }) => [id, state]).toSorted()).toEqual([
      ["HAND", "IN_PROGRESS"],
      ["LONG", "FAILED"],
      ["one", "MERGED"],
      ["two", "ESCALATED"],
    ]);
    const resolved = await repository.run(["task", "resolve", "two", "--note", "try again"]);
    expect(resolved.stdout).toContain("task two is PENDING");
    expect((await repository.run(["task", "show", "one"])).stdout).toContain("src");
    expect((await repository.run(["audit", "verify"])).status).toBe(0);
  });
});

describe("settings written by an earlier version", () => {
  it("are updated without a second hook, and can be removed", async () => {
    using repository = temporaryRepository();
    const text = stored("settings.local.json").toString().replaceAll("@ROOT@", repository.path);
    const file = repository.write(".claude/settings.local.json", text);
    expect((await repository.run(["init", "--client", "claude"])).status).toBe(0);
    const { hooks } = JSON.parse(readFileSync(file, "utf8")) as {
      hooks: Record<string, { hooks: object[] }[]>;
    };
    const calls = (hooks.PreToolUse ?? []).flatMap((one) => one.hooks);
    expect(calls).toHaveLength(1);
    expect((await repository.run(["init", "--client", "claude", "--remove"])).status).toBe(0);
    expect(existsSync(file)).toBe(false);
  });
});
