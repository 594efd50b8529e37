import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { altered } from "../../test/support/altered.ts";
import { delegation, errorReport, escalation, read } from "../core/reports/submission-samples.ts";
import { schemas } from "./schemas.ts";

const forms = [
  { name: "delegation-output", sample: delegation, within: "" },
  { name: "error-report", sample: errorReport, within: "error." },
  { name: "escalation", sample: escalation, within: "escalation." },
] as const;

describe("the schemas of reports", () => {
  it.each(forms)("$name accepts what the parser accepts", ({ name, sample }) => {
    expect(read(sample)).toHaveProperty("kind");
    expect(schemas[name].safeParse(sample).error).toBeUndefined();
  });

  it.each(forms)("the parser accepts nothing that $name refuses", ({ name, sample, within }) => {
    const body = within === "" ? sample : Object.values(sample)[0];
    const paths = [
      ...Object.keys(body),
      ...Object.keys(delegation.deliverable).map((one) => `deliverable.${one}`),
    ];
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom<unknown>(
        undefined,
        null,
        "T-1",
        "x",
        "a\nb",
        " ",
        -1,
        2,
        [],
        ["x"],
        [" "],
        {},
        "blocked",
      ),
    );
    const path = fc.constantFrom(...paths.filter((one) => within === "" || !one.includes(".")));
    let refused = 0;
    let accepted = 0;
    fc.assert(
      fc.property(path, value, (at, replacement) => {
        const document = altered<unknown>(sample, { [within + at]: replacement });
        const fits = schemas[name].safeParse(document).success;
        const submission = read(document);
        if ("kind" in submission) expect(fits, JSON.stringify(document)).toBe(true);
        refused += fits ? 0 : 1;
        accepted += "kind" in submission ? 1 : 0;
      }),
      { numRuns: 2000 },
    );
    expect(refused).toBeGreaterThan(100);
    expect(accepted).toBeGreaterThan(100);
  });
});
