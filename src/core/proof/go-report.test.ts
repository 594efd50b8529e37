import { describe, expect, it } from "vitest";
import { readGoReport } from "./go-report.ts";
import { InventoryRecord } from "./inventory.ts";

const read = (...lines: readonly string[]) => {
  const record = new InventoryRecord();
  readGoReport(
    lines.map((line) => `${line}\n`).join(""),
    (folder) => folder.replace(/^\/root\/?/, ""),
    record,
  );
  const inventory = record.inventory();
  return inventory && { ...inventory, tests: Object.fromEntries(Object.entries(inventory.tests)) };
};

describe("the report of a go test binary", () => {
  it("lists tests and their parts by folder", () => {
    const passed = [
      "=== RUN   TestA",
      "=== RUN   TestA/b_c",
      "--- PASS: TestA (0.00s)",
      "    --- SKIP: TestA/b_c (1.50s)",
    ];
    expect(read("begin /root/sub", ...passed, "exit 0")).toEqual({
      runners: ["go test"],
      tests: { "sub > TestA": "pass", "sub > TestA/b_c": "skip" },
      cut: null,
    });
  });

  it("is read if its lines are marked for `-json` or follow an unfinished line", () => {
    const marked = [
      "\u0016=== RUN   TestA",
      "printed\u0016--- PASS: TestA (0.00s)",
      "x--- FAIL: TestB (0.10s)",
      "\u0016FAIL",
    ];
    expect(read("begin /root", ...marked, "exit 1")).toEqual({
      runners: ["go test"],
      tests: { ". > TestA": "pass", ". > TestB": "fail" },
      cut: null,
    });
  });

  it("is cut without its last line, or without the outcome of a started test", () => {
    const cut = (...lines: readonly string[]) => read("begin /root/a", ...lines)?.cut;
    expect(cut("=== RUN   TestA", "--- PASS: TestA (0.00s)")).toBe("go test began in a and did not finish");
    expect(cut("=== RUN   TestA", "exit 0")).toBe("go test began TestA in a and reported no outcome");
    expect(cut("exit 0")).toBeNull();
    expect(read("something else")).toBeNull();
  });
});
