import { jsonSchema, schemaNames } from "../../contract/json-schemas.ts";
import { nearestName } from "../../core/names/nearest-name.ts";
import { deny } from "../../core/rules/verdict.ts";
import { writeAll } from "../output/descriptor.ts";
import { tellRefusal } from "../output/verdicts.ts";

/** `lockstep schema [NAME]`. */
export function schemaCommand(name: string | undefined, options: { readonly json?: boolean }): number {
  if (name === undefined) {
    writeAll(1, options.json ? `${JSON.stringify(schemaNames, null, 2)}\n` : `${schemaNames.join("\n")}\n`);
    return 0;
  }
  const schema = jsonSchema(name);
  if (schema === undefined) {
    const nearest = nearestName(name, schemaNames);
    const hint = nearest === undefined ? "see `lockstep schema`" : `did you mean \`${nearest}\`?`;
    return tellRefusal(deny("R-IN-001", `there is no schema \`${name}\`; ${hint}`), options.json);
  }
  writeAll(1, `${JSON.stringify(schema, null, 2)}\n`);
  return 0;
}
