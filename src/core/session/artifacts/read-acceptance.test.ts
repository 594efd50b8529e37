import { describe, expect, it } from "vitest";
import { readAcceptance } from "./read-acceptance.ts";

const one = { id: "AC-1", description: "Prices have two digits", verify: ["cmd: npm test"] };
const read = (criteria: unknown) => readAcceptance(JSON.stringify({ acceptance_criteria: criteria }));

describe("acceptance.json", () => {
  it("contains criteria, and a single way to check needs no list", () => {
    expect(read([one, { ...one, id: "AC-2", verify: "manual: look", more: 1 }])).toEqual({
      criteria: [one, { ...one, id: "AC-2", verify: ["manual: look"] }],
    });
  });

  it.each([" cmd: npm test", "CMD: npm test", "Manual: look"])("accepts %j", (way) => {
    expect(read([{ ...one, verify: [way] }])).toEqual({ criteria: [{ ...one, verify: [way] }] });
  });

  it.each<[string, string, string]>([
    ["no JSON", "{", "acceptance.json: the file is not valid JSON"],
    ["no object", "[]", "acceptance.json: `acceptance_criteria` is not a list"],
    [
      "no criteria",
      '{"acceptance_criteria": []}',
      "acceptance.json: `acceptance_criteria` is not a list of 1",
    ],
  ])("that is %s is refused, and the form is shown", (_, text, fault) => {
    expect(readAcceptance(text)).toEqual({
      faults: [expect.stringMatching(new RegExp(`^${fault}.*"verify": \\["cmd: npm test"\\]`))],
    });
  });

  it.each<[string, unknown, string]>([
    ["id", { ...one, id: undefined }, "`acceptance_criteria[0].id` is missing"],
    ["description", { ...one, description: " " }, "`acceptance_criteria[0].description` is malformed"],
    ["verify", { ...one, verify: [] }, "`acceptance_criteria[0].verify` is malformed"],
    [
      "way",
      { ...one, verify: ["cmd: a", "npm test"] },
      "`acceptance_criteria[0].verify[1]` is `npm test`: write",
    ],
    [
      "only way",
      { ...one, verify: "command: a" },
      "`acceptance_criteria[0].verify[0]` is `command: a`: write",
    ],
    ["command", { ...one, verify: ["CMD: "] }, "`acceptance_criteria[0].verify[0]` is `CMD: `: write"],
    ["line", { ...one, verify: ["cmd: a\nb"] }, "`acceptance_criteria[0].verify[0]` is `cmd: a"],
    ["id", { ...one, id: undefined }, "`acceptance_criteria[0].id` is missing"],
  ])("with a criterion whose %s is wrong names the field", (_, criterion, fault) => {
    expect(read([criterion])).toEqual({ faults: [expect.stringContaining(`acceptance.json: ${fault}`)] });
  });

  it("names every fault and every duplicate id", () => {
    expect(read([one, {}, one])).toEqual({
      faults: [
        expect.stringContaining("acceptance_criteria[1].id"),
        expect.stringContaining("acceptance_criteria[1].description"),
        expect.stringContaining("acceptance_criteria[1].verify"),
        "acceptance.json: two criteria have the id `AC-1`",
      ],
    });
  });
});
