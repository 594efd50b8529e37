import { describe, expect, it } from "vitest";
import { type GateCheck, gateResult, judged, notConfigured } from "./gate-result.ts";

describe("the outcome of a gate check", () => {
  it.each<[GateCheck, string]>([
    ["file_conflict", "serial"],
    ["tests", "qa"],
    ["syntax", "origin"],
    ["conventions", "origin"],
    ["imports", "origin"],
    ["cross_reference", "origin"],
  ])("%s leads to %s if it fails, and nowhere else", (check, route) => {
    const finding = { path: "a", message: "is wrong" };
    expect(gateResult(check, [finding])).toEqual({ check, result: "fail", findings: [finding], route });
    expect(gateResult(check, [])).toEqual({ check, result: "pass", findings: [], route: "proceed" });
    expect(notConfigured(check, "why")).toEqual({
      check,
      result: "not_configured",
      findings: [],
      route: "proceed",
      note: "why",
    });
  });

  it.each([
    ["pass", true, []],
    ["skipped", false, []],
    ["fail", true, [{ path: "a", message: "is wrong" }]],
    ["fail", false, [{ path: "a", message: "is wrong" }]],
  ])("is %s with these files: %s", (result, looked, findings) => {
    expect(judged("syntax", { findings, notes: ["why"], looked })).toEqual({
      check: "syntax",
      result,
      findings,
      route: result === "fail" ? "origin" : "proceed",
      note: "why",
    });
  });

  it("lists a limited number of findings and the number of the others", () => {
    const findings = Array.from({ length: 205 }, (_, at) => ({ path: `${at}`, message: "is wrong" }));
    const result = gateResult("syntax", findings, ["first"]);
    expect(result.findings).toHaveLength(200);
    expect(result.note).toBe("first; 5 more findings are left out");
  });
});
