import { cpSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { acceptLoss } from "../../src/ledger/sqlite/accept-loss.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { StoreFault } from "../../src/ledger/store-fault.ts";
import { headsIn } from "../support/heads-in.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { committed, creating, newTask } from "./sample-documents.ts";

/** A ledger, and another place for its head. */
function ground() {
  const folder = temporaryFolder();
  const [ledger, older, home] = ["ledger", "older", "home"].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  const open = (place = home) => openSqliteLedger({ folder: ledger, create: true, heads: headsIn(place) });
  return {
    ledger,
    home,
    elsewhere: join(folder.path, "elsewhere"),
    open,
    /** Adds one event for each task. */
    add: async (tasks: readonly string[], place?: string) => {
      const opened = await open(place);
      for (const task of tasks) committed(await opened.commit(creating(newTask(task))));
      opened.close();
    },
    keepCopy: () => cpSync(ledger, older, { recursive: true }),
    /** Restores the database with its own head, as in a backup of the folder. */
    restoreCopy: () => {
      rmSync(ledger, { recursive: true });
      cpSync(older, ledger, { recursive: true });
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** The fault of opening the ledger, or the problems that it finds. */
async function problemsOf(open: ReturnType<typeof ground>["open"], place?: string): Promise<unknown> {
  try {
    using ledger = Object.assign(await open(place), {
      [Symbol.dispose](this: { close(): void }) {
        this.close();
      },
    });
    return (await ledger.verify()).problems;
  } catch (error) {
    if (error instanceof StoreFault) return `${error.kind}: ${error.message}`;
    throw error;
  }
}

describe("an older copy of a ledger together with its head", () => {
  it("is refused with the first missing event, and found in an open ledger", async () => {
    using place = ground();
    await place.add(["T-1", "T-2"]);
    place.keepCopy();
    await place.add(["T-3", "T-4", "T-5"]);
    place.restoreCopy();
    const [name = ""] = readdirSync(place.home);
    expect(name).toMatch(/^[0-9a-f]{16}$/);
    const known = `events 3 to 5 are missing at the end, but \`${join(place.home, name)}\` records them`;
    expect(await problemsOf(place.open)).toContain(
      `${known}: restore it from a copy, or continue with the current files, such as a restored backup, with \`lockstep ledger accept-loss\``,
    );

    const unknowing = await place.open(place.elsewhere);
    cpSync(join(place.home, name), join(place.elsewhere, name));
    expect((await unknowing.verify()).problems).toEqual([
      { seq: 3, problem: known.replace(place.home, place.elsewhere) },
    ]);
    unknowing.close();
  });

  it("is refused even if the history after it has the same length", async () => {
    using place = ground();
    await place.add(["T-1"]);
    place.keepCopy();
    await place.add(["T-2"]);
    place.restoreCopy();
    await place.add(["T-9"], place.elsewhere);
    expect(await problemsOf(place.open)).toMatch(/^lost: .*event 2 is not the one recorded in .*/);
  });

  it("is refused even if only changes without events are missing, and even if it had no event yet", async () => {
    using place = ground();
    (await place.open()).close();
    place.keepCopy();
    const ledger = await place.open();
    committed(await ledger.commit({ settings: { breaker: 1 } }));
    ledger.close();
    place.restoreCopy();
    expect(await problemsOf(place.open)).toMatch(/^lost: .*the last 1 changes are missing, but/);
    rmSync(join(place.ledger, "audit.head"));
    expect(await problemsOf(place.open)).toMatch(/^lost: .*the last 1 changes are missing, but/);
  });

  it("is used after a person has accepted it, and refused the next time", async () => {
    using place = ground();
    await place.add(["T-1"]);
    place.keepCopy();
    await place.add(["T-2"]);
    place.restoreCopy();
    const { now, kept } = await acceptLoss(place.ledger, new Date(0), headsIn(place.home));
    expect(now).toMatchObject({ seq: 1 });
    expect(kept).toEqual([
      expect.stringMatching(/\/ledger\/audit\.head\.lost-/),
      expect.stringMatching(/\/home\/[0-9a-f]{16}\.lost-/),
    ]);
    expect(await problemsOf(place.open)).toEqual([]);
    await place.add(["T-3"]);
    place.restoreCopy();
    expect(await problemsOf(place.open)).toMatch(/^lost: .*event 2 is missing at the end, but/);
  });
});

describe("a ledger", () => {
  it("is used as it is if no other place has its head, as on another machine, and continues there", async () => {
    using place = ground();
    await place.add(["T-1"]);
    place.keepCopy();
    await place.add(["T-2", "T-3"]);
    place.restoreCopy();
    await place.add(["T-4"], place.elsewhere);
    expect(await problemsOf(place.open, place.elsewhere)).toEqual([]);
  });

  it("that was created in the place of another one has a head of its own", async () => {
    using place = ground();
    await place.add(["T-1", "T-2"]);
    rmSync(place.ledger, { recursive: true });
    await place.add(["T-1"]);
    expect(await problemsOf(place.open)).toEqual([]);
    expect(readdirSync(place.home)).toHaveLength(2);
  });

  it("with an older outside head updates that with the next change", async () => {
    using place = ground();
    await place.add(["T-1"]);
    await place.add(["T-2"], place.elsewhere);
    expect(await problemsOf(place.open)).toEqual([]);
    await place.add(["T-3"]);
    const [one, two] = [await place.open(), await place.open()];
    committed(await two.commit(creating(newTask("T-4"))));
    committed(await one.commit(creating(newTask("T-5"))));
    one.close();
    two.close();
    place.keepCopy();
    await place.add(["T-6"]);
    place.restoreCopy();
    expect(await problemsOf(place.open)).toMatch(/event 6 is missing at the end/);
  });

  it("accepts changes if the other place cannot be written, and reading does not create that place", async () => {
    using place = ground();
    await place.add([]);
    expect(existsSync(place.home)).toBe(false);
    writeFileSync(place.home, "no folder");
    await place.add(["T-1", "T-2"]);
    expect(await problemsOf(place.open)).toEqual([]);
  });
});
