import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { nextTasks } from "../../src/core/plan/next-tasks.ts";
import { fleetLimits } from "../../src/core/plan/placement.ts";
import { type PlannedTask, plannedTask } from "../../src/core/plan/planned-task.ts";
import { Standing } from "../../src/core/plan/standing.ts";
import type { Engine } from "../../src/engine/change/engine.ts";
import { openPostgresLedger } from "../../src/ledger/postgres/open-ledger.ts";
import { closeDatabases, takeDatabase } from "../support/ledger-databases.ts";
import { addManyTasks } from "../support/many-tasks.ts";
import { dispatch, memoryEngine, packet } from "../support/memory-engine.ts";

afterAll(closeDatabases);

const machines = 8;
const slots = 8;
const count = 10_000;

describe("10,000 tasks and 64 slots (M-15)", { timeout: 120_000 }, () => {
  it("every machine fills its slots, although all of them want the same tasks first", async () => {
    const database = await takeDatabase();
    const ledgers = await Promise.all(
      Array.from({ length: machines }, () => openPostgresLedger({ url: database.url, connectionsMax: 2 })),
    );
    const [first] = ledgers;
    if (first === undefined) throw new Error("no ledger");
    await addManyTasks(first, { session: "earlier", count });
    const { world } = await memoryEngine();
    const scopeOf = (number: number) => [`src/part-${number}`];
    const planned = Array.from({ length: count }, (_, at) =>
      plannedTask({ id: `T-${at}`, depends_on: [], lock_scope: scopeOf(at), uses: [] }, world),
    );
    const filled = await Promise.all(
      ledgers.map(async (ledger, at) => {
        const { clock } = ledger;
        if (clock === undefined) throw new Error("a shared ledger has a clock");
        const engine: Engine = {
          ...(await memoryEngine({ ledger })),
          ...{ machine: `machine-${at}`, clock },
          pause: async (round) => void (await sleep(2 ** Math.min(round, 5))),
        };
        return fillSlots(engine, new Standing(planned));
      }),
    );
    const taken = filled.flatMap(({ tasks }) => tasks);
    expect(filled.map(({ tasks }) => tasks.length)).toEqual(ledgers.map(() => slots));
    expect(new Set(taken).size).toBe(machines * slots);
    // No machine loses more races than there are slots of others.
    for (const { lost } of filled) expect(lost).toBeLessThanOrEqual((machines - 1) * slots);
    for (const ledger of ledgers) ledger.close();
    await database.free();
  });
});

/** Like a member: starts the next tasks until its slots are full, and skips those that others have started. */
async function fillSlots(engine: Engine, standing: Standing<PlannedTask>) {
  const own = { maxParallel: slots, maxReview: 8, maxActive: slots, resources: {} };
  const limits = fleetLimits(own, { slots, machines });
  const tasks: string[] = [];
  let lost = 0;
  for (;;) {
    const next = nextTasks(standing, { mode: "continuous", limits });
    if (next.length === 0) return { tasks, lost };
    for (const { id } of next) {
      const started = await dispatch(engine, packet(id, [`src/part-${id.slice(2)}`]));
      if (started.allow) tasks.push(id);
      else lost += 1;
      const isElsewhere = !started.allow;
      standing.put(id, { state: "IN_PROGRESS", revertedBy: null, isElsewhere });
    }
  }
}
