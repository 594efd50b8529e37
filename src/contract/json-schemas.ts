import * as z from "zod";
import { schemas } from "./schemas.ts";

type SchemaName = keyof typeof schemas;

export const schemaNames = Object.keys(schemas) as SchemaName[];

/** A published schema as a JSON Schema document (draft 2020-12). */
export function jsonSchema(name: SchemaName): Record<string, unknown>;
export function jsonSchema(name: string): Record<string, unknown> | undefined;
export function jsonSchema(name: string): Record<string, unknown> | undefined {
  const known = schemaNames.find((one) => one === name);
  if (known === undefined) return undefined;
  const { $schema, ...body } = z.toJSONSchema(schemas[known], {
    target: "draft-2020-12",
    io: "input",
    // Many operations return the same verdict, which appears once as a reference.
    reused: known === "operations" ? "ref" : "inline",
    // Zod leaves `examples` out where a value is transformed; ours are of what people write.
    override: ({ jsonSchema }) => {
      if (!("example" in jsonSchema)) return;
      jsonSchema.examples = [jsonSchema.example];
      delete jsonSchema.example;
    },
  });
  return { $schema, $id: `${name}.schema.json`, title: name, ...body };
}
