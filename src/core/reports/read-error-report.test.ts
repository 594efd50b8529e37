import { describe, expect, it } from "vitest";
import { altered } from "../../../test/support/altered.ts";
import { errorReport, fieldOf, large, largeInBytes, read } from "./submission-samples.ts";

describe("an error report", () => {
  it("is read unchanged", () => {
    expect(read(errorReport)).toEqual({ kind: "error", report: errorReport.error });
  });

  it.each(["compile", "test", "runtime", "scope_violation", "blocked"])(
    "may be of the type %s",
    (errorType) => {
      expect(read(altered(errorReport, { "error.errorType": errorType }))).toMatchObject({
        report: { errorType },
      });
    },
  );

  it("needs no stack trace", () => {
    expect(read(altered(errorReport, { "error.stackTrace": undefined }))).toMatchObject({
      report: { stackTrace: undefined, retryCount: 1 },
    });
  });

  it("shows a bounded part of its stack trace", () => {
    const submission = read(altered(errorReport, { "error.stackTrace": "é".repeat(200_000) }));
    const { stackTrace } = (submission as { report: { stackTrace: string } }).report;
    expect(new TextEncoder().encode(stackTrace).length).toBeLessThanOrEqual(64 * 1024);
  });

  it.each<[string, unknown]>([
    ["taskId", undefined],
    ["taskId", "T-2"],
    ["task_id", "T-2"],
    ["agent", undefined],
    ["agent", "a\nb"],
    ["errorType", undefined],
    ["errorType", "Compile"],
    ["errorType", "constructor"],
    ["message", " "],
    ["message", large],
    ["stackTrace", ["at a.ts"]],
    ["attemptedFix", undefined],
    ["attemptedFix", largeInBytes],
    ["retryCount", undefined],
    ["retryCount", -1],
    ["retryCount", 1.5],
    ["retryCount", "1"],
    ["recommendation", null],
  ])("is refused by `%s` of %j", (name, value) =>
    expect(fieldOf(altered(errorReport, { [`error.${name}`]: value }))).toBe(`error.${name}`),
  );
});
