import type { Entry } from "../paths/entry.ts";
import { readEntries } from "../paths/scope.ts";
import { quoted } from "../text/quoted.ts";
import type { Ports } from "./ports.ts";

export type ScopeReading =
  | { readonly entries: readonly Entry[] }
  | { readonly error: string; readonly index?: number };

/** Reads a list of scope entries. `name` is its name in error messages. */
export function readScope(
  value: unknown,
  name: string,
  { place, disk }: Pick<Ports, "place" | "disk">,
): ScopeReading {
  if (!Array.isArray(value)) return { error: `\`${name}\` is not a list of paths` };
  const index = value.findIndex((item) => typeof item !== "string");
  if (index >= 0) return { error: `entry ${index} of \`${name}\` is not a string`, index };
  const result = readEntries(value, place, disk);
  if ("entries" in result) return result;
  const text: string = value[result.index];
  return {
    error: `entry ${result.index} of \`${name}\` is ${quoted(text)}: ${result.error}`,
    index: result.index,
  };
}
