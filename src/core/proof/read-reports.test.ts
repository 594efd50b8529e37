import { describe, expect, it } from "vitest";
import { InventoryRecord } from "./inventory.ts";
import { readReports } from "./read-reports.ts";

const lines = (...all: readonly (readonly unknown[])[]) =>
  all.map((words) => `${JSON.stringify(words)}\n`).join("");
const read = (...reports: readonly string[]) => {
  const record = new InventoryRecord();
  readReports(reports, (file) => file.replace("/root/", ""), record);
  const inventory = record.inventory();
  return inventory && { ...inventory, tests: Object.fromEntries(Object.entries(inventory.tests)) };
};

describe("reports", () => {
  it("are merged into one list, in the order in which the runners began", () => {
    const later = lines(["begin", "b", 2], ["test", "/root/a.js", ["x"], "fail"], ["end"]);
    const earlier = lines(["begin", "a", 1], ["test", "/root/a.js", ["x"], "pass"], ["end"]);
    const expected = { runners: ["a", "b"], tests: { "a.js > x": "pass", "a.js > x #2": "fail" }, cut: null };
    expect(read(later, earlier)).toEqual(expected);
    expect(read(earlier + later)).toEqual(expected);
  });

  it("are cut if a runner did not end, reported fewer tests than announced, or was cut itself", () => {
    expect(read(lines(["begin", "a", 1, "/root/x.js"]))?.cut).toBe("a began x.js and did not finish");
    const [begin, one, end] = [["begin", "a", 1], ["test", "", ["x"], "pass"], ["end"]];
    expect(read(lines(begin, ["announce", 2], one, end))?.cut).toBe("a announced 2 tests and reported 1");
    expect(read(lines(begin, ["announce", 1], one, end))?.cut).toBeNull();
    expect(read(lines(begin, ["cut", "why"], end))?.cut).toBe("a: why");
  });

  it("let a later outcome of the same test replace the first", () => {
    const test = (outcome: string, again: boolean) => ["test", "a", ["x"], outcome, again];
    const begin = ["begin", "a", 1];
    expect(read(lines(begin, test("fail", false), test("pass", true), ["end"]))?.tests).toEqual({
      "a > x": "pass",
    });
    expect(read(lines(begin, test("fail", false), test("pass", false), ["end"]))?.tests).toEqual({
      "a > x": "fail",
      "a > x #2": "pass",
    });
  });

  it("count a file as a test only if it has no tests of its own, or fails", () => {
    const file = (path: string, outcome: string) => ["test", path, [], outcome];
    const parent = [["begin", "a", 1], file("x", "pass"), file("y", "pass"), file("z", "fail"), ["end"]];
    const child = (path: string) => lines(["begin", "a", 2], ["test", path, ["t"], "pass"], ["end"]);
    expect(read(lines(...parent), child("x"), child("z"))?.tests).toEqual({
      y: "pass",
      z: "fail",
      "x > t": "pass",
      "z > t": "pass",
    });
  });

  it("do not count a file whose tests a filter excluded", () => {
    const parent = lines(["begin", "a", 1], ["test", "/root/x", [], "pass"], ["end"]);
    const child = (...more: unknown[][]) => lines(["begin", "a", 2, "/root/x"], ...more);
    expect(read(parent, child(["end"]))).toMatchObject({ tests: {}, cut: null });
    expect(read(parent, child())?.tests).toEqual({ x: "pass" });
  });

  it("may be damaged or forged in any way", () => {
    expect(read("", "{}", "[", "[]\n[1]\nnull\n", lines(["end"], ["test", "a", ["x"], "pass"]))).toBeNull();
    const whole = lines(
      ["begin", "a", "?"],
      ["test", 1, [2], "pass"],
      ["test", "x", "y", "pass"],
      ["test", "x", [], "?"],
    );
    expect(read(`${whole}["te`)).toEqual({
      runners: ["a"],
      tests: { "1 > 2": "pass" },
      cut: "a began and did not finish",
    });
  });
});
