import { once } from "node:events";
import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openMemoryLedger, openSqliteLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { lastLine, runChild, spawnChild } from "./run-child.ts";
import { committed, creating, newTask } from "./sample-documents.ts";

const open = (folder: string) => openSqliteLedger({ folder, create: true });

describe("several processes", () => {
  it("open a new ledger at the same time, and all get the same one", async () => {
    using folder = temporaryFolder();
    const secrets = await Promise.all(Array.from({ length: 6 }, () => runChild("open", folder.path)));
    expect(secrets[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(secrets).size).toBe(1);
    const ledger = await open(folder.path);
    expect(ledger.secret()).toBe(secrets[0]);
    ledger.close();
  });

  it("write to one ledger without losing changes of each other", async () => {
    using folder = temporaryFolder();
    const ledger = await open(folder.path);
    committed(await ledger.commit(creating(newTask("T-1"))));
    await Promise.all(Array.from({ length: 3 }, () => runChild("count", folder.path, 60)));
    expect(await ledger.task("T-1")).toMatchObject({ tokens: 180, version: 181 });
    expect(await ledger.verify()).toEqual({ events: 181, problems: [] });
    ledger.close();
  });

  it("lose no acknowledged change when they are killed (INV-3)", async () => {
    using folder = temporaryFolder();
    const first = await open(folder.path);
    committed(await first.commit(creating(newTask("T-1"))));
    first.close();
    let lastTokens = 0;
    for (let round = 0; round < 10; round += 1) {
      const child = spawnChild("forever", folder.path);
      let text = "";
      child.stdout?.on("data", (bytes) => {
        text += bytes;
      });
      await once(child.stdout as NodeJS.ReadableStream, "data");
      await sleep((round * 37) % 60);
      child.kill("SIGKILL");
      await once(child, "close");
      const acknowledged = lastLine(text.slice(0, text.lastIndexOf("\n") + 1)) as number;
      const ledger = await open(folder.path);
      const tokens = (await ledger.task("T-1"))?.tokens ?? 0;
      expect(acknowledged).toBeGreaterThan(lastTokens);
      expect([acknowledged, acknowledged + 1]).toContain(tokens);
      expect(await ledger.verify()).toEqual({ events: tokens + 1, problems: [] });
      lastTokens = tokens;
      ledger.close();
    }
  });
});

describe("the files of a ledger", () => {
  const modes = (folder: string) =>
    Object.fromEntries(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777]));

  it.each([0o000, 0o022, 0o277])("are readable for their owner only with the umask %o", async (mask) => {
    using folder = temporaryFolder();
    const before = process.umask(mask);
    try {
      const ledger = await open(join(folder.path, "new"));
      committed(await ledger.commit(creating(newTask("T-1"))));
      expect(modes(join(folder.path, "new"))).toEqual({
        "audit.head": 0o600,
        reserve: 0o600,
        "state.db": 0o600,
        "state.db-shm": 0o600,
        "state.db-wal": 0o600,
      });
      ledger.close();
    } finally {
      process.umask(before);
    }
    expect(statSync(join(folder.path, "new")).mode & 0o077).toBe(0);
  });

  it("lose other permissions when they are opened", async () => {
    using folder = temporaryFolder();
    (await open(folder.path)).close();
    for (const name of readdirSync(folder.path)) chmodSync(join(folder.path, name), 0o644);
    const ledger = await open(folder.path);
    committed(await ledger.commit(creating(newTask("T-1"))));
    expect(new Set(Object.values(modes(folder.path)))).toEqual(new Set([0o600]));
    ledger.close();
  });

  it("remain complete after a change that does not wait for the disk", async () => {
    using folder = temporaryFolder();
    const ledger = await open(folder.path);
    committed(await ledger.commit({ ...creating(newTask("T-1")), durable: false }));
    committed(await ledger.commit({ settings: { breaker: 1 }, durable: false }));
    committed(await ledger.commit({ settings: { breaker: 2 } }));
    ledger.close();
    ledger.close();
    const again = await open(folder.path);
    expect(await again.setting("breaker")).toBe(2);
    expect(await again.task("T-1")).toBeDefined();
    again.close();
  });
});

describe("a ledger in memory", () => {
  it("has the given secret of a simulation", async () => {
    const ledger = await openMemoryLedger({ secret: "s".repeat(64) });
    expect(ledger.secret()).toBe("s".repeat(64));
    expect((await ledger.verify()).problems).toEqual([]);
    ledger.close();
  });
});
