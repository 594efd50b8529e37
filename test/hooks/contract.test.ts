import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonSchema, schemaNames } from "../../src/contract/json-schemas.ts";
import { schemas } from "../../src/contract/schemas.ts";
import { isPointName, type PointName, pointNames } from "../../src/core/points/points.ts";
import { hookVectors } from "../support/hook-vectors.ts";
import { mutatedCall } from "../support/mutated-payloads.ts";
import { verdictOf } from "../support/verdict-of.ts";

/** `PreDispatch` is published as `pre-dispatch`. */
function schemaOf(point: PointName) {
  const name = point.replace(/(?<=.)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
  const known = schemaNames.find((one) => one === name);
  if (known === undefined) throw new Error(`no schema ${name}`);
  return schemas[known];
}

describe("schemas and rules", () => {
  it("every point has a schema", () => {
    for (const point of pointNames) expect(schemaOf(point)).toBeDefined();
  });

  it("every allowed vector is accepted by its schema", () => {
    const allowed = hookVectors.filter((vector) => vector.code === "OK");
    expect(allowed.length).toBeGreaterThan(10);
    for (const { name, hook, payload } of allowed) {
      if (!isPointName(hook)) throw new Error(hook);
      expect(schemaOf(hook).safeParse(payload).error, `${hook}: ${name}`).toBeUndefined();
    }
  });

  it("the hook never allows what its schema refuses, and every verdict matches its own schema", async () => {
    let allowed = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(mutatedCall, async ({ point, payload }) => {
        const verdict = await verdictOf(point, JSON.stringify(payload));
        const accepted = schemaOf(point).safeParse(payload).success;
        if (verdict.allow) expect(accepted).toBe(true);
        expect(schemas.verdict.safeParse(verdict).error).toBeUndefined();
        allowed += verdict.allow ? 1 : 0;
        refused += accepted ? 0 : 1;
      }),
      { numRuns: 8000 },
    );
    expect(allowed).toBeGreaterThan(500);
    expect(refused).toBeGreaterThan(500);
  });
});

describe("JSON Schemas", () => {
  it.each(schemaNames)("%s is a document of draft 2020-12 with an id of its own", (name) => {
    expect(jsonSchema(name)).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: `${name}.schema.json`,
      title: name,
      description: expect.stringMatching(/\S/),
    });
  });

  it("an unknown name has no schema", () => {
    expect(jsonSchema("constructor")).toBeUndefined();
  });
});
