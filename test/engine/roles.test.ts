import { describe, expect, it } from "vitest";
import type { Liveness } from "../../src/core/leases/process-identity.ts";
import { type BaseMove, moveName, prepareMove } from "../../src/engine/change/base-moves.ts";
import {
  type HeldRole,
  renewRole,
  roleSeconds,
  takeRole,
  whyNotHolder,
} from "../../src/engine/change/hold-role.ts";
import { finishLanding } from "../../src/engine/landing/finish-landing.ts";
import { memoryEngine, person, type TestEngine } from "../support/memory-engine.ts";

const name = "integrator here main";

/** The same ledger and clock for another process, in which the holder has this liveness. */
const as = (engine: TestEngine, alive: Liveness): TestEngine => ({ ...engine, isAlive: () => alive });

async function taken(engine: TestEngine): Promise<HeldRole> {
  const role = await takeRole(engine, name, person);
  if (!("epoch" in role)) throw new Error("it is held");
  return role;
}

describe("a role", () => {
  it("has one holder, and a new epoch for each holder", async () => {
    const engine = await memoryEngine();
    const first = await taken(engine);
    expect(first).toEqual({ name, epoch: 1 });
    expect(await takeRole(engine, name, person)).toMatchObject({ heldBy: { epoch: 1 } });
    expect(await renewRole(engine, { ...first, end: true }, person)).toBe(true);
    expect(await taken(engine)).toEqual({ name, epoch: 2 });
    expect(await renewRole(engine, first, person)).toBe(false);
    expect((await engine.ledger.verify()).problems).toEqual([]);
  });

  it.each<[string, Liveness, number, boolean]>([
    ["a dead process of this machine, at once", "no", 0, true],
    ["a running process of this machine, even after a long silence", "yes", 10 * roleSeconds, false],
    ["a process of another machine that renews it", "elsewhere", roleSeconds - 1, false],
    ["a process of another machine whose lease has ended", "elsewhere", roleSeconds + 1, true],
  ])("is taken from %s: %s after %d s, %s", async (_, alive, silentSeconds, isTaken) => {
    const engine = await memoryEngine();
    await taken(engine);
    engine.sleep(silentSeconds);
    expect("epoch" in (await takeRole(as(engine, alive), name, person))).toBe(isTaken);
  });

  it("stays with its holder through renewals", async () => {
    const engine = await memoryEngine();
    const held = await taken(engine);
    for (let round = 0; round < 5; round += 1) {
      engine.sleep(roleSeconds - 1);
      expect(await renewRole(engine, held, person)).toBe(true);
      expect(await takeRole(as(engine, "elsewhere"), name, person)).toHaveProperty("heldBy");
    }
  });

  it("goes to one of many simultaneous callers", async () => {
    const engine = await memoryEngine();
    const all = await Promise.all(Array.from({ length: 20 }, () => takeRole(engine, name, person)));
    expect(all.filter((one) => "epoch" in one)).toHaveLength(1);
  });
});

describe("two machines that move their bases in the same millisecond", () => {
  it("each get a move of their own", async () => {
    const engine = await memoryEngine();
    const { wallMs } = engine.clock.now();
    const move = (place: string): BaseMove => ({
      ...{ kind: "land", base: "main", from: "a", to: place, place, members: [], runner: null },
      batch: moveName("BATCH", wallMs),
    });
    for (const place of ["one:/r", "two:/r"]) {
      const intent = await prepareMove(engine, move(place), person);
      expect(intent).toMatchObject({ data: { place } });
    }
  });
});

describe("a former integrator that still believes it holds its role", () => {
  const move: BaseMove = {
    ...{ kind: "land", base: "main", from: "a", to: "b", batch: "BATCH-1", members: [], runner: null },
  };

  it("can neither begin nor finish a move of the base", async () => {
    const engine = await memoryEngine();
    const held = await taken(engine);
    const intent = await prepareMove(engine, { ...move, held }, person);
    if ("allow" in intent) throw new Error(intent.reason);
    await taken(as(engine, "no"));
    expect(await whyNotHolder(engine, held)).toMatchObject({ code: "R-LS-001" });
    const finished = await finishLanding(engine, { ...intent, held }, person);
    expect(finished).toMatchObject({ allow: false, code: "R-LS-001" });
    expect(await engine.ledger.intents()).toHaveLength(1);
    const again = await prepareMove(engine, { ...move, batch: "BATCH-2", held }, person);
    expect(again).toMatchObject({ allow: false, code: "R-LS-001" });
  });

  it("is refused by the ledger itself if the role changes hands after the check", async () => {
    const engine = await memoryEngine();
    const held = await taken(engine);
    await taken(as(engine, "no"));
    const change = { events: [], settings: { breaker: 1 }, expect: { roles: { [held.name]: held.epoch } } };
    expect(await engine.ledger.commit(change)).toEqual({ conflict: `role ${name}` });
    expect(await engine.ledger.setting("breaker")).toBeUndefined();
  });
});
