import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readProof, recordProof } from "../../src/workspace/state/check-outputs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const kept = 1000;

it("keeps the newest records of checks, and removes older ones many at a time", () => {
  using folder = temporaryFolder();
  const record = (number: number) => {
    const file = recordProof(folder.path, { name: `T-${number}`, at: "", checks: [] });
    utimesSync(file, number, number);
  };
  const count = () => readdirSync(join(folder.path, "logs/proofs")).length;
  const recordUpTo = (last: number, first: number) => {
    for (let number = first; number <= last; number += 1) record(number);
    return count();
  };
  expect(recordUpTo(kept + 200, 1)).toBe(kept + 200);
  expect(recordUpTo(kept + 250, kept + 201)).toBe(kept + 49);
  expect(readProof(folder.path, "T-201")).toBeUndefined();
  expect(readProof(folder.path, "T-202")?.name).toBe("T-202");
  expect(readProof(folder.path, `T-${kept + 250}`)?.name).toBe(`T-${kept + 250}`);
});
