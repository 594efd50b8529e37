import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { Task } from "../../src/core/tasks/task.ts";
import { type OpenOptions, openSqliteLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { StoreFault } from "../../src/ledger/store-fault.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { canMount, runMounted } from "./run-child.ts";
import {
  at,
  committed,
  creating,
  dumpOf,
  newAttempt,
  newEvent,
  newLock,
  newTask,
} from "./sample-documents.ts";

const open = (folder: string, more: Partial<OpenOptions> = {}) =>
  openSqliteLedger({ folder, create: true, ...more });

async function faultOf(work: Promise<unknown>): Promise<StoreFault> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof StoreFault)) throw new Error(`no store fault: ${error}`, { cause: error });
  expect(error.code).toBe("E-STORE");
  expect(error.message).not.toContain("\n");
  return error;
}

describe("a full disk", () => {
  it("refuses writes, still allows reads, and allows writes again once there is room", async () => {
    using folder = temporaryFolder();
    const first = await open(folder.path);
    committed(
      await first.commit({ ...creating(newTask("T-1")), take: [newLock("T-1", "a")], expect: { fence: 0 } }),
    );
    first.close();
    const pages = statSync(join(folder.path, "state.db")).size / 4096;
    const ledger = await open(folder.path, { maxPages: pages + 2 });
    const big = { events: [newEvent(null, { data: "x".repeat(50_000) })] };
    const before = await dumpOf(ledger);
    const fault = await faultOf(ledger.commit(big));
    expect(fault).toMatchObject({ kind: "full", retryable: true });
    expect(fault.message).toMatch(/^STORAGE_FULL: .*free some space and try again$/);
    expect(await dumpOf(ledger)).toEqual(before);
    committed(await ledger.commit({ release: { tasks: ["T-1"], at } }));
    expect((await ledger.verify()).problems).toEqual([]);
    ledger.close();
  });

  it("uses up the reserve only for a change that frees space", async () => {
    using folder = temporaryFolder();
    const ledger = await open(folder.path, { maxPages: 40 });
    const reserve = join(folder.path, "reserve");
    const big = { events: [newEvent(null, { data: "x".repeat(200_000) })] };
    expect(statSync(reserve).size).toBe(256 * 1024);
    expect(await faultOf(ledger.commit(big))).toMatchObject({ kind: "full" });
    expect(existsSync(reserve)).toBe(true);
    expect(await faultOf(ledger.commit({ ...big, relieves: true }))).toMatchObject({ kind: "full" });
    expect(existsSync(reserve)).toBe(false);
    expect(await faultOf(ledger.commit({ ...big, relieves: true }))).toMatchObject({ kind: "full" });
    ledger.close();
    (await open(folder.path)).close();
    expect(statSync(reserve).size).toBe(256 * 1024);
  });

  it.skipIf(!canMount)("of 3 MB is survived: reads, the reserve, room again (needs `unshare -rm`)", () => {
    using folder = temporaryFolder();
    expect(runMounted("full-disk", folder.path, 'mount -t tmpfs -o size=3m tmpfs "$1"')).toEqual({
      reserved: true,
      write: "full",
      again: "full",
      read: "T-1",
      relief: "ok",
      relieved: true,
      later: "ok",
      problems: [],
      lost: 0,
      reservedAgain: true,
      openedWhenFull: 1,
      reservedWhenTight: false,
    });
  });
});

describe("a database that was replaced after it was opened", () => {
  it.each(["state.db", "state.db-wal"])("accepts no change after %s was deleted", async (name) => {
    using folder = temporaryFolder();
    const ledger = await open(folder.path);
    committed(await ledger.commit(creating(newTask("T-1"))));
    rmSync(join(folder.path, name));
    expect(await faultOf(ledger.commit(creating(newTask("T-2"))))).toMatchObject({
      kind: "gone",
      retryable: false,
    });
    expect(await ledger.task("T-1")).toBeDefined();
    ledger.close();
    expect(existsSync(join(folder.path, name))).toBe(false);
  });

  it("accepts no change until it is back", async () => {
    using folder = temporaryFolder();
    const ledger = await open(folder.path);
    committed(await ledger.commit(creating(newTask("T-1"))));
    const path = join(folder.path, "state.db");
    renameSync(path, `${path}.aside`);
    copyFileSync(`${path}.aside`, path);
    const heartbeat = { attempts: [newAttempt("T-1")], durable: false };
    expect((await faultOf(ledger.commit(heartbeat))).message).toContain(
      "restart the command to open the current ledger",
    );
    renameSync(`${path}.aside`, path);
    committed(await ledger.commit(heartbeat));
    ledger.close();
  });
});

describe("a place that cannot hold a ledger", () => {
  it("may be a network file system", async () => {
    using folder = temporaryFolder();
    const asked: string[] = [];
    const fileSystemOf = (path: string) => {
      asked.push(path);
      return "NFS";
    };
    const fault = await faultOf(open(folder.path, { fileSystemOf }));
    expect(fault).toMatchObject({ kind: "network", retryable: false });
    expect(fault.message).toContain("(NFS)");
    expect(asked).toEqual([folder.path]);
    expect(existsSync(join(folder.path, "state.db"))).toBe(false);
    (await open(folder.path, { fileSystemOf: () => undefined })).close();
  });

  it("may be a file", async () => {
    using folder = temporaryFolder({ ledger: "a file" });
    expect(await faultOf(open(join(folder.path, "ledger")))).toMatchObject({ kind: "io" });
  });

  it("may be a folder in the place of the database", async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, "state.db"));
    expect(await faultOf(open(folder.path))).toMatchObject({ kind: "io" });
  });

  it.skipIf(!canMount)(
    "may be a read-only disk, with or without a ledger (needs `unshare -rm`)",
    async () => {
      using folder = temporaryFolder();
      const readOnly = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1"';
      expect(runMounted("open-kind", folder.path, readOnly)).toBe("read-only");
      (await open(folder.path)).close();
      expect(runMounted("open-kind", folder.path, readOnly)).toBe("read-only");
      expect(runMounted("open-kind", folder.path, "true")).toBe("ok");
    },
  );

  it("may be an empty folder, for a caller that must not create a ledger", async () => {
    using folder = temporaryFolder();
    for (const path of [folder.path, join(folder.path, "none")]) {
      const fault = await faultOf(open(path, { create: false }));
      expect(fault).toMatchObject({ kind: "gone" });
      expect(fault.message).toContain("nothing has been recorded there yet");
    }
    expect(existsSync(join(folder.path, "none"))).toBe(false);
    expect(existsSync(join(folder.path, "state.db"))).toBe(false);
  });
});

describe("a write lock of another process", () => {
  it("is waited for without blocking anything else", async () => {
    using folder = temporaryFolder();
    const ledger = await open(folder.path);
    using other = new DatabaseSync(join(folder.path, "state.db"));
    other.exec("BEGIN IMMEDIATE");
    let ticks = 0;
    const ticker = setInterval(() => {
      ticks += 1;
      if (ticks === 20) other.exec("COMMIT");
    }, 10);
    // If the wait blocked anything, the twentieth tick would never come.
    committed(await ledger.commit(creating(newTask("T-1"))));
    clearInterval(ticker);
    expect(ticks).toBeGreaterThanOrEqual(20);
    ledger.close();
  });

  it("makes a commit fail in the end, but no read", async () => {
    using folder = temporaryFolder();
    const ledger = await open(folder.path, { waitMs: 100 });
    committed(await ledger.commit(creating(newTask("T-1"))));
    using other = new DatabaseSync(join(folder.path, "state.db"));
    other.exec("BEGIN IMMEDIATE");
    expect(await ledger.task("T-1")).toMatchObject({ version: 1 });
    const task = (await ledger.task("T-1")) as Task;
    expect(await faultOf(ledger.commit({ tasks: [task] }))).toMatchObject({ kind: "busy", retryable: true });
    const second = await open(folder.path, { waitMs: 100 });
    expect(await second.task("T-1")).toEqual(task);
    second.close();
    other.exec("COMMIT");
    committed(await ledger.commit({ tasks: [task] }));
    ledger.close();
  });
});

describe("an error that is not a fault of the store", () => {
  it("is passed on unchanged", async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, "x"), "");
    const broken = () => {
      throw new TypeError("a mistake");
    };
    await expect(open(folder.path, { fileSystemOf: broken })).rejects.toThrow(TypeError);
  });
});
