import { expect, it } from "vitest";
import { reasonText } from "../core/proof/weakening.ts";
import { touchedHeading } from "../engine/decisions/ask-weakened.ts";
import { findingGroups, findingLines } from "./needs-person.ts";

const missing = reasonText({ kind: "test", command: "npm test", test: "test/x.js > a", now: "is missing" });

it("the files that a change touches are a list under a heading, after the weakened tests", () => {
  const findings = [missing, touchedHeading, "test/x.js: test file deleted"];
  expect(findingLines(findings)).toEqual([
    "- missing: test/x.js > a",
    "The change touches:",
    "  - test/x.js: test file deleted",
  ]);
  expect(findingGroups(findings).map(({ heading }) => heading)).toEqual([null, touchedHeading]);
});

it("findings without a heading are one list, and no findings give no list", () => {
  expect(findingLines(["a", "b:"])).toEqual(["- a", "- b:"]);
  expect(findingLines([touchedHeading, "c"])).toEqual([touchedHeading, "  - c"]);
  expect(findingGroups([])).toEqual([]);
});
