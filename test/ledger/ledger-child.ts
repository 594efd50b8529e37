/** The work that a test starts in another process: `node ledger-child.ts <what> <folder> [number]`. */
import { readdirSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Task } from "../../src/core/tasks/task.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { StoreFault } from "../../src/ledger/store-fault.ts";
import { at, committed, creating, newEvent, newLock, newTask } from "./sample-documents.ts";

const [, , what = "", folder = "", number = "0"] = process.argv;
const open = () => openSqliteLedger({ folder, create: true });
const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);

/** Adds one to the tokens of task T-1, and repeats after a conflict. */
async function addOne(ledger: Ledger): Promise<number> {
  for (;;) {
    const task = (await ledger.task("T-1")) as Task;
    const change = { tasks: [{ ...task, tokens: task.tokens + 1 }], events: [newEvent("T-1")] };
    if ("ok" in (await ledger.commit(change))) return task.tokens + 1;
  }
}

async function kindOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return "ok";
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error;
    return error.kind === "full" && !error.message.startsWith("STORAGE_FULL") ? error.message : error.kind;
  }
}

/** Fills the disk to the last block. */
function fillDisk(name: string): void {
  for (const bytes of [65_536, 4096, 1]) {
    try {
      for (let part = 0; ; part += 1)
        writeFileSync(join(folder, `${name}-${bytes}-${part}`), "x".repeat(bytes));
    } catch {}
  }
}

function emptyDisk(): void {
  for (const name of readdirSync(folder)) if (name.startsWith("fill")) rmSync(join(folder, name));
}

const hasReserve = () => statSync(join(folder, "reserve"), { throwIfNoEntry: false })?.size === 256 * 1024;

/** Writes until the disk is full: the write-ahead log may have had some space left. */
async function writeUntilFull(ledger: Ledger): Promise<string> {
  for (let round = 0; round < 1000; round += 1) {
    const kind = await kindOf(() =>
      ledger.commit({ events: [newEvent(null, { data: "x".repeat(20_000) })] }),
    );
    if (kind !== "ok") return kind;
  }
  return "never full";
}

const commands: Readonly<Record<string, () => Promise<void>>> = {
  open: async () => {
    const ledger = await open();
    say(ledger.secret());
    ledger.close();
  },

  count: async () => {
    const ledger = await open();
    for (let round = 0; round < Number(number); round += 1) await addOne(ledger);
    ledger.close();
  },

  /** Prints each acknowledged change until it is killed. */
  forever: async () => {
    const ledger = await open();
    for (;;) say(await addOne(ledger));
  },

  "open-kind": async () => {
    say(await kindOf(open));
  },

  /** Runs on a disk of 3 MB. */
  "full-disk": async () => {
    let ledger = await open();
    const lock = { take: [newLock("T-1", "src")], expect: { fence: 0 } };
    committed(await ledger.commit({ ...creating(newTask("T-1")), ...lock }));
    const story: Record<string, unknown> = { reserved: hasReserve() };
    fillDisk("fill");
    story.write = await writeUntilFull(ledger);
    story.again = await writeUntilFull(ledger);
    story.read = (await ledger.task("T-1"))?.key;
    const kept = (await ledger.events()).length;
    story.relief = await kindOf(() => ledger.commit({ release: { tasks: ["T-1"], at }, relieves: true }));
    story.relieved = (await ledger.locks({ active: true })).length === 0 && !hasReserve();
    emptyDisk();
    story.later = await kindOf(() => addOne(ledger));
    story.problems = (await ledger.verify()).problems;
    story.lost = kept + 1 - (await ledger.events()).length;
    ledger.close();

    ledger = await open();
    story.reservedAgain = hasReserve();
    ledger.close();
    fillDisk("fill-more");
    ledger = await open();
    story.openedWhenFull = (await ledger.task("T-1"))?.tokens;
    ledger.close();

    emptyDisk();
    const { bavail, bsize } = statfsSync(folder);
    writeFileSync(join(folder, "fill"), "x".repeat(bavail * bsize - 600_000));
    (await open()).close();
    story.reservedWhenTight = hasReserve();
    say(story);
  },
};

await (commands[what] ?? (() => sleep(0)))();
