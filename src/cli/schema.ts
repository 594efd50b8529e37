import { jsonSchema, schemaNames } from "../contract/json-schemas.ts";
import { nearestName } from "../core/names/nearest-name.ts";
import { writeAll } from "./descriptor.ts";

/** `lockstep schema [NAME]`. */
export function schemaCommand(name: string | undefined, options: { readonly json?: boolean }): 0 | 2 {
  if (name === undefined) {
    writeAll(1, options.json ? `${JSON.stringify(schemaNames, null, 2)}\n` : `${schemaNames.join("\n")}\n`);
    return 0;
  }
  const schema = jsonSchema(name);
  if (schema === undefined) {
    const nearest = nearestName(name, schemaNames);
    const hint = nearest === undefined ? "see `lockstep schema`" : `did you mean \`${nearest}\`?`;
    writeAll(2, `lockstep: R-IN-001: there is no schema \`${name}\`; ${hint}\n`);
    return 2;
  }
  writeAll(1, `${JSON.stringify(schema, null, 2)}\n`);
  return 0;
}
