import { describe, expect, it } from "vitest";
import { type Inventory, InventoryRecord, packInventory, unpackInventory } from "./inventory.ts";

const listed = (names: readonly (readonly string[])[]) => {
  const record = new InventoryRecord();
  record.began("a runner");
  for (const one of names) record.add(one, "pass");
  return record.inventory() as Inventory;
};

describe("an inventory", () => {
  it("is null if no runner reported", () => {
    expect(new InventoryRecord().inventory()).toBeNull();
  });

  it("numbers tests with the same id, and accepts names such as `constructor`", () => {
    const { tests } = listed([
      ["a", "b"],
      ["a > b"],
      ["a", " b\n"],
      ["constructor"],
      ["__proto__"],
      ["__proto__"],
    ]);
    expect(Object.keys(tests)).toEqual([
      "a > b",
      "a > b #2",
      "a > b #3",
      "constructor",
      "__proto__",
      "__proto__ #2",
    ]);
    expect(tests.toString).toBeUndefined();
  });

  it("shortens long ids and keeps them distinct", () => {
    const ids = Object.keys(listed([[`${"x".repeat(900)}1`], [`${"x".repeat(900)}2`]]).tests);
    expect(new Set(ids.map((id) => id.length <= 500 && !id.includes("#")))).toEqual(new Set([true]));
    expect(new Set(ids).size).toBe(2);
  });

  it("is cut if there are too many tests", () => {
    const record = new InventoryRecord();
    record.began("a runner");
    for (let at = 0; at <= 200_000; at += 1) record.add([String(at)], "pass");
    const { tests, cut } = record.inventory() as Inventory;
    expect(Object.keys(tests)).toHaveLength(200_000);
    expect(cut).toBe("there are more than 200000 tests");
  });

  it("is the same after packing and unpacking", () => {
    const record = new InventoryRecord();
    for (const runner of ["y", "x"]) record.began(runner);
    record.add(["a", 'q"\u2028'], "pass");
    record.add(["__proto__"], "fail");
    record.add(["b"], "skip");
    const whole = record.inventory() as Inventory;
    expect(whole.runners).toEqual(["x", "y"]);
    record.cut("why");
    for (const one of [whole, record.inventory() as Inventory]) {
      const back = unpackInventory(packInventory(one)) as Inventory;
      expect(back).toEqual(one);
      expect(Object.entries(back.tests)).toEqual(Object.entries(one.tests));
    }
  });

  it.each(["", "{}", "null", "[]", "[1,2]"])("is null for the text %j", (text) => {
    expect(unpackInventory(text)).toBeNull();
  });
});
