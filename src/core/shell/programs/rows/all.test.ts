import { describe, expect, it } from "vitest";
import { codedPrograms } from "../programs.ts";
import { brokenExamples } from "../row/row-examples.ts";
import { builtInRows } from "./all.ts";
import { cargo } from "./packages.ts";

const namesOf = (names: string) => names.split(/\s+/).filter((name) => name !== "");

describe("The rows of the table", () => {
  it.each(builtInRows.map((row) => [namesOf(row.names).slice(0, 3).join(" "), row] as const))("%s: the examples hold", (_, row) => {
    expect((row.match ?? []).length + (row.no_match ?? []).length).toBeGreaterThan(0);
    expect(brokenExamples(row)).toEqual([]);
  });

  it("tell what cargo does behind its toolchain", () => {
    const match = ["cargo fmt -> .", "cargo fix -> .", "cargo new a -> a", "cargo build --target-dir a -> a"];
    const no_match = ["cargo tree", "cargo fmt --check"];
    expect(brokenExamples({ names: "cargo", ...cargo, match, no_match })).toEqual([]);
  });

  it("name each program once", () => {
    const inRows = builtInRows.flatMap((row) => namesOf(row.names));
    const names = [...inRows, ...codedPrograms.flatMap((map) => [...map.keys()])];
    expect(names.length).toBeGreaterThan(1000);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it("are plain data", () => {
    expect(JSON.parse(JSON.stringify(builtInRows))).toEqual(builtInRows);
  });
});
