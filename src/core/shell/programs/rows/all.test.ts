import { describe, expect, it } from "vitest";
import { codedPrograms } from "../programs.ts";
import { brokenExamples } from "../row/row-examples.ts";
import { builtInRows } from "./all.ts";

const namesOf = (names: string) => names.split(/\s+/).filter((name) => name !== "");

describe("The rows of the table", () => {
  it.each(builtInRows.map((row) => [namesOf(row.names).slice(0, 3).join(" "), row] as const))("%s: the examples hold", (_, row) => {
    expect((row.match ?? []).length + (row.no_match ?? []).length).toBeGreaterThan(0);
    expect(brokenExamples(row)).toEqual([]);
  });

  it("name each program once", () => {
    const inRows = builtInRows.flatMap((row) => namesOf(row.names));
    const names = [...inRows, ...codedPrograms.flatMap((map) => [...map.keys()])];
    expect(names.length).toBeGreaterThan(1000);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it("are plain data except for their hooks", () => {
    const plain = JSON.parse(JSON.stringify(builtInRows));
    const isPlain = (value: unknown, copy: unknown): boolean => {
      if (typeof value !== "object" || value === null) return value === copy;
      return Object.entries(value).every(
        ([key, part]) => ((key === "also" || key === "spelled") && typeof part === "function") || isPlain(part, (copy as Record<string, unknown>)[key]),
      );
    };
    expect(builtInRows.filter((row, index) => !isPlain(row, plain[index]))).toEqual([]);
  });
});
