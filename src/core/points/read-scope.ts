import type { Entry } from "../paths/entry.ts";
import type { Place } from "../paths/place.ts";
import { readEntries } from "../paths/scope.ts";
import { quoted } from "./quoted.ts";

export type ScopeReading =
  | { readonly entries: readonly Entry[] }
  | { readonly error: string; readonly index?: number };

/** Reads a list of scope entries. `name` is what the error calls it. */
export function readScope(value: unknown, name: string, place: Place): ScopeReading {
  if (!Array.isArray(value)) return { error: `\`${name}\` is not a list of paths` };
  const index = value.findIndex((item) => typeof item !== "string");
  if (index >= 0) return { error: `entry ${index} of \`${name}\` is not a string`, index };
  const result = readEntries(value, place);
  if ("entries" in result) return result;
  const text: string = value[result.index];
  return {
    error: `entry ${result.index} of \`${name}\` is ${quoted(text)}: ${result.error}`,
    index: result.index,
  };
}
