import { describe, expect, it } from "vitest";
import type { Liveness } from "../../src/core/leases/process-identity.ts";
import type { ProofResult } from "../../src/core/proof/proof-request.ts";
import { type HeldRole, renewRole, roleSeconds } from "../../src/engine/change/hold-role.ts";
import {
  finishProof,
  offeredProofs,
  offerProof,
  takeProof,
  withdrawProof,
} from "../../src/engine/landing/shared-proofs.ts";
import { memoryEngine, person, type TestEngine } from "../support/memory-engine.ts";

/** The same ledger and clock for a process in which the holder has this liveness. */
const as = (engine: TestEngine, alive: Liveness): TestEngine => ({ ...engine, isAlive: () => alive });

const offer = (engine: TestEngine, id: string) =>
  offerProof(
    engine,
    { id, key: `key ${id}`, commit: "c0ffee", command: "npm test", change: null, ref: "refs/x", not: null },
    person,
  );

const passed: ProofResult = {
  machine: "second",
  run: { exit: 0, seconds: 1, digest: "d", tail: "ok\n" },
  inventory: null,
};

async function taken(engine: TestEngine, id: string): Promise<HeldRole> {
  const held = await takeProof(engine, id, person);
  if (typeof held === "string") throw new Error(held);
  return held;
}

const seen = async (engine: TestEngine) =>
  (await offeredProofs(engine)).map(({ request: { id, result }, isTaken }) => [
    id,
    result?.machine ?? (isTaken ? "taken" : "open"),
  ]);

describe("a check run that is offered to other machines", () => {
  it("is done by one machine, and its result remains until the offer is withdrawn", async () => {
    const engine = await memoryEngine();
    await offer(engine, "one");
    engine.sleep(1);
    await offer(engine, "two");
    expect(await seen(engine)).toEqual([
      ["one", "open"],
      ["two", "open"],
    ]);
    const held = await taken(engine, "one");
    expect(await takeProof(engine, "one", person)).toBe("taken");
    await finishProof(engine, { id: "one", held, result: passed }, person);
    expect(await takeProof(engine, "one", person)).toBe("taken");
    expect(await seen(engine)).toEqual([
      ["one", "second"],
      ["two", "open"],
    ]);
    await withdrawProof(engine, "one", person);
    expect(await seen(engine)).toEqual([["two", "open"]]);
    expect(await takeProof(engine, "one", person)).toBe("gone");
    expect((await engine.ledger.verify()).problems).toEqual([]);
  });

  it.each<[string, Liveness, number, string]>([
    ["whose machine renews its lease", "elsewhere", roleSeconds - 1, "taken"],
    ["whose machine is silent for longer than its lease", "elsewhere", roleSeconds + 1, "open"],
    ["whose process on this machine has died", "no", 0, "open"],
  ])("%s (%s, %d s) is %s", async (_, alive, seconds, state) => {
    const engine = await memoryEngine();
    await offer(engine, "one");
    await taken(engine, "one");
    engine.sleep(seconds);
    expect(await seen(as(engine, alive))).toEqual([["one", state]]);
  });

  it("is not finished by a machine that has lost it to another one", async () => {
    const engine = await memoryEngine();
    await offer(engine, "one");
    const first = await taken(engine, "one");
    engine.sleep(roleSeconds + 1);
    const second = await taken(as(engine, "elsewhere"), "one");
    await finishProof(engine, { id: "one", held: first, result: passed }, person);
    expect((await offeredProofs(engine))[0]?.request.result).toBe(null);
    expect(await renewRole(engine, first, person)).toBe(false);
    await finishProof(engine, { id: "one", held: second, result: passed }, person);
    expect((await offeredProofs(engine))[0]?.request.result).toEqual(passed);
  });

  it("ends the role of the machine that runs it when it is withdrawn", async () => {
    const engine = await memoryEngine();
    await offer(engine, "one");
    const held = await taken(engine, "one");
    await withdrawProof(engine, "one", person);
    expect(await renewRole(engine, held, person)).toBe(false);
    await offer(engine, "two"); // in the same slot
    await finishProof(engine, { id: "one", held, result: passed }, person);
    expect(await seen(engine)).toEqual([["two", "open"]]);
  });

  it("uses one of 64 slots; those of a dead integrator are reused", async () => {
    const engine = await memoryEngine();
    for (let at = 0; at < 64; at += 1) expect(await offer(engine, `r${at}`)).toBeDefined();
    expect(await offer(engine, "one more")).toBeUndefined();
    engine.sleep(3600);
    expect(await offer(engine, "one more")).toBeDefined();
    expect(await offeredProofs(engine)).toHaveLength(64);
  });

  it("goes to one of many simultaneous callers", async () => {
    const engine = await memoryEngine();
    await offer(engine, "one");
    const all = await Promise.all(Array.from({ length: 8 }, () => takeProof(engine, "one", person)));
    expect(all.filter((one) => typeof one !== "string")).toHaveLength(1);
  });
});
