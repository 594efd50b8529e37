import { isObject } from "../core/values/fields.ts";
import { defaultConfig } from "./default-config.ts";
import { jsonSchema } from "./json-schemas.ts";

/** A key of the configuration as its documents show it. */
export interface ConfigKey {
  readonly name: string;
  readonly meaning: string;
  /** Such as `whole number`, or `ask, auto, never`. */
  readonly type: string;
  /** What counts where it is left out; undefined where that is nothing. */
  readonly value: unknown;
  readonly example: unknown;
  /** Its own keys; those of each entry, where people choose the names (`agents`), and of each item of a list. */
  readonly keys: readonly ConfigKey[];
  readonly holds: "keys" | "entries" | "items" | "value";
}

type Schema = Readonly<Record<string, unknown>>;

/** The keys of `.lockstep/config.yaml`, read from its schema. */
export function configKeys(): readonly ConfigKey[] {
  const schema = jsonSchema("config");
  return keysOf(schema, { whole: schema, values: defaultConfig });
}

interface Reading {
  readonly whole: Schema;
  /** The defaults by name, where there are any. */
  readonly values?: unknown;
}

function keysOf(schema: Schema, { whole, values }: Reading): readonly ConfigKey[] {
  return Object.entries(isObject(schema.properties) ? schema.properties : {}).map(([name, property]) => {
    const written = property as Schema;
    const own = resolved(written, whole);
    const value = isObject(values) && name in values ? values[name] : own.default;
    // What has a name of its own is explained once, at the top; some of it holds itself.
    const isTop = values === defaultConfig;
    const { holds, of } = typeof written.$ref === "string" && !isTop ? onlyValue : contentOf(own, whole);
    return {
      name,
      meaning: String(own.description ?? ""),
      type: isTop && holds === "keys" ? "map" : typeOf(written, whole),
      value,
      example: Array.isArray(own.examples) ? own.examples[0] : undefined,
      keys: keysOf(of, { whole, values: holds === "keys" ? value : undefined }),
      holds,
    };
  });
}

const onlyValue = { holds: "value", of: {} } as const;

function contentOf(
  schema: Schema,
  whole: Schema,
): { readonly holds: ConfigKey["holds"]; readonly of: Schema } {
  if (isObject(schema.properties)) return { holds: "keys", of: schema };
  const entry = isObject(schema.additionalProperties) ? resolved(schema.additionalProperties, whole) : {};
  if (isObject(entry.properties)) return { holds: "entries", of: entry };
  const item = isObject(schema.items) && !("$ref" in schema.items) ? schema.items : {};
  return isObject(item.properties) ? { holds: "items", of: item } : onlyValue;
}

function resolved(schema: Schema, whole: Schema): Schema {
  if (typeof schema.$ref !== "string") return schema;
  const named = isObject(whole.$defs) ? whole.$defs[nameOf(schema.$ref)] : undefined;
  return { ...(isObject(named) ? named : {}), ...schema };
}

function nameOf(ref: string): string {
  return ref.replace("#/$defs/", "");
}

const typeNames: Readonly<Record<string, string>> = {
  integer: "whole number",
  number: "number",
  string: "text",
  boolean: "true or false",
  null: "null",
  object: "map",
};

function typeOf(schema: Schema, whole: Schema): string {
  if (typeof schema.$ref === "string") return nameOf(schema.$ref);
  if ("const" in schema) return String(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.join(", ");
  if (Array.isArray(schema.anyOf)) {
    if (schema.description === "a command line for the shell, or a program and its arguments")
      return "command";
    return [...new Set(schema.anyOf.map((one: Schema) => typeOf(one, whole)))].join(", ");
  }
  if (schema.type === "array")
    return isObject(schema.items) ? `list of ${plural(typeOf(schema.items, whole))}` : "list";
  if (schema.type === "object" && isObject(schema.properties) && "command" in schema.properties)
    return "{ command }";
  if (schema.type === "object" && isObject(schema.additionalProperties))
    return `map of names to ${plural(typeOf(schema.additionalProperties, whole))}`;
  return typeNames[String(schema.type)] ?? String(schema.type ?? "any");
}

function plural(type: string): string {
  return `${type}s`;
}
