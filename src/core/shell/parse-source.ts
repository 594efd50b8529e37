import { type ParsedScript, parse } from "unbash";
import { commandBytesMax } from "./machine.ts";

const openersMax = 1000;
const braceWorkMax = 30_000_000;

/** Parses shell code, or says why not: the parser rescans for every brace and every nested substitution. */
export function parseSource(source: string): ParsedScript | { readonly why: string } {
  if (source.length > commandBytesMax) return { why: `it is longer than ${commandBytesMax} characters` };
  if (countOf(source, "$(") + countOf(source, "`") + countOf(source, "<<") > openersMax)
    return { why: `it opens more than ${openersMax} substitutions` };
  if (countOf(source, "{") * source.length > braceWorkMax) return { why: "it has too many braces" };
  return parse(source);
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}
