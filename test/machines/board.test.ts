import { afterAll, describe, expect, it } from "vitest";
import { type BoardPlace, Looks } from "../../src/board/models/look.ts";
import { readView } from "../../src/board/serve/views.ts";
import type { BoardSession, Diff, Overview, TaskList, TaskPage, Timeline } from "../../src/contract/board.ts";
import { memberRole, takeRole } from "../../src/engine/change/hold-role.ts";
import { operate } from "../../src/engine/operate.ts";
import { openPostgresLedger } from "../../src/ledger/postgres/open-ledger.ts";
import { boardGround } from "../support/board-ground.ts";
import { closeDatabases, type LedgerDatabase, takeDatabase } from "../support/ledger-databases.ts";
import { memoryEngine, packet, runner } from "../support/memory-engine.ts";
import { answer } from "../support/planned-repository.ts";
import { type SharedMachine, sharedMachines } from "../support/shared-machines.ts";

afterAll(closeDatabases);

const session = "2026-02-14_fleet";
const keyOf = (id: string) => `${session}/${id}`;

/** The engine of a machine with this name, which offers two slots. */
async function machine({ url }: LedgerDatabase, name: string) {
  const id = name.padEnd(16, "0");
  const ledger = await openPostgresLedger({ url, machine: { id, name, lockstep: "0" } });
  const identityOf = (pid: number) => ({ pid, startedAt: "1", boot: id, machine: id });
  const clock = ledger.clock as NonNullable<typeof ledger.clock>;
  const engine = { ...(await memoryEngine({ ledger })), clock, machine: id, identityOf };
  const offer = { kind: "worker", slots: 2, labels: [], lacks: [], draining: false } as const;
  expect(await takeRole(engine, { name: memberRole(id, "/x"), offer }, runner)).toHaveProperty("epoch");
  return { ...engine, [Symbol.dispose]: () => ledger.close() };
}

describe("the board of a shared ledger", () => {
  it("shows on which machine each task is, what each machine offers, and which is dead", async () => {
    await using ground = await boardGround();
    const database = await takeDatabase();
    using here = await machine(database, "atlas");
    using there = await machine(database, "build-2");
    const place: BoardPlace = { ...ground.place, engine: here, looks: new Looks(here) };
    const view = async <Document>(name: string, query: Readonly<Record<string, string>> = {}) => {
      place.looks.forget();
      const asked = { name, query: new URLSearchParams(query), may: "act" } as const;
      return (await readView(place, asked)) as Document;
    };
    for (const [id, engine] of [
      ["T-1", here],
      ["T-2", there],
    ] as const) {
      await operate(engine, "task-add", { packet: packet(keyOf(id), [`src/${id}.js`]) }, runner);
      const started = await operate(engine, "dispatch", { packet: { task_id: keyOf(id) } }, runner);
      expect(started).toMatchObject({ allow: true });
    }
    const { rows } = await view<TaskList>("tasks");
    expect(rows.map((row) => [row.name, row.machine])).toEqual([
      ["T-1", "atlas"],
      ["T-2", "build-2"],
    ]);
    expect((await view<TaskList>("tasks", { filter: "build-2" })).rows.map(({ name }) => name)).toEqual([
      "T-2",
    ]);
    const { lanes, bars } = await view<Timeline>("timeline", { session });
    expect(lanes).toEqual(["atlas, slot 1", "build-2, slot 1"]);
    expect(bars.map(({ name, lane }) => `${name} in ${lane}`).sort()).toEqual(["T-1 in 0", "T-2 in 1"]);
    expect((await view<TaskPage>("task", { task: keyOf("T-2") })).elsewhere).toBe("build-2");
    expect((await view<TaskPage>("task", { task: keyOf("T-1") })).elsewhere).toBe(null);
    expect(await view<Diff>("diff", { task: keyOf("T-2") })).toMatchObject({
      elsewhere: "build-2",
      files: [],
    });
    const seen = (await view<Overview>("overview")).machines;
    expect(
      seen.map(({ name, isThis, isGone, running, slots }) => [name, isThis, isGone, running, slots]),
    ).toEqual([
      ["atlas", true, false, 1, 2],
      ["build-2", false, false, 1, 2],
    ]);
    await database.raw("UPDATE lockstep.machines SET beat_ms = beat_ms - 200000 WHERE id LIKE 'build-2%'");
    const { machines, remarks } = await view<Overview>("overview");
    expect(machines.map(({ name, isGone }) => [name, isGone])).toEqual([
      ["atlas", false],
      ["build-2", true],
    ]);
    expect(remarks.map(({ text }) => text)).toContainEqual(expect.stringContaining("build-2 is dead"));
    await database.free();
  });

  it("is served with the ledger of the shell, and refused if the server uses another one", async () => {
    await using shared = await sharedMachines({ agents: { a: [[answer("OK")]] }, tasks: [] });
    const [one] = shared.machines as [SharedMachine];
    const words = ["board", "--no-open", "--json"];
    const { stdout, stderr } = await one.run(words);
    expect(stdout, stderr).not.toBe("");
    const { address, link } = JSON.parse(stdout) as { address: string; link: string };
    const opened = await fetch(`${address}/api/open`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: address },
      body: JSON.stringify({ link: link.slice(link.indexOf("#") + 1) }),
    });
    const { token } = (await opened.json()) as BoardSession;
    const read = await fetch(`${address}/api/overview`, { headers: { authorization: `Bearer ${token}` } });
    expect(((await read.json()) as Overview).machines.map(({ isThis }) => isThis)).toEqual([true]);
    const other = await one.repository.run(words);
    expect([other.status, other.stderr + other.stdout]).toEqual([
      2,
      expect.stringContaining("uses another ledger than this shell"),
    ]);
    const [, pid = ""] = /kill (\d+)/.exec(other.stderr + other.stdout) ?? [];
    process.kill(Number(pid));
  });
});
