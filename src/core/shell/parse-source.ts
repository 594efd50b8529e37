import { type ParsedScript, parse } from "unbash";
import { commandBytesMax } from "./machine.ts";

const openersMax = 1000;
const braceWorkMax = 30_000_000;

/**
 * Parses shell code, or says why not. Limits apply because the parser rescans for every brace and nested
 * substitution.
 */
export function parseSource(source: string): ParsedScript | { readonly why: string } {
  if (source.length > commandBytesMax)
    return { why: `it is longer than ${commandBytesMax} characters; split it` };
  if (countOf(source, "$(") + countOf(source, "`") + countOf(source, "<<") > openersMax)
    return { why: `it opens more than ${openersMax} substitutions; split it` };
  if (countOf(source, "{") * source.length > braceWorkMax) return { why: "it has too many braces; split it" };
  return parse(source);
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}
