import type { Document, ParsedNode } from "yaml";
import { shortened } from "../core/points/quoted.ts";
import { boundedTokens, UnreadableYaml } from "../core/yaml/bounded-tokens.ts";

type Yaml = typeof import("yaml");

/** The parser takes minutes for a mebibyte of nested keys, so what it gets is bounded on the way in. */
const bounds = { depthMax: 64, tokensMax: 200_000 };
const aliasesMax = 16;
const causeLengthMax = 200;

const options = {
  // Named, because a `%YAML 1.1` line would otherwise bring that version's values and merge keys.
  schema: "core",
  resolveKnownTags: false,
  stringKeys: true,
  // The library compares each key with all others; `findRepeatedKey` does it in one pass.
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: "error",
} as const;

/** One YAML document as a JSON value: no tags of its own, no key twice, few aliases. */
export async function parseYaml(text: string): Promise<{ document: unknown } | { error: string }> {
  const yaml = await import("yaml");
  const lines = new yaml.LineCounter();
  const at = (offset: number, cause: string) => {
    const { line, col } = lines.linePos(offset);
    return { error: `line ${line}, column ${col}: ${inOneLine(cause)}` };
  };
  try {
    const documents = new yaml.Composer(options).compose(
      boundedTokens(yaml, text, { lines, bounds }),
      true,
      text.length,
    );
    const [document, another] = [...firstTwo(documents)];
    if (document === undefined) return { error: "it is empty" };
    const [fault] = [...document.errors, ...document.warnings];
    if (fault !== undefined) return at(fault.pos[0], fault.message);
    if (another !== undefined) return at(another.range[0], "a second document begins: give one");
    const misuse = findMisuse(yaml, document);
    if (misuse !== undefined) return at(misuse.offset, misuse.cause);
    return { document: document.toJS() };
  } catch (error) {
    if (error instanceof UnreadableYaml) return at(error.offset, error.message);
    throw error;
  }
}

function* firstTwo<T>(all: Iterable<T>): Generator<T> {
  let taken = 0;
  for (const one of all) {
    yield one;
    taken += 1;
    if (taken === 2) return;
  }
}

interface Misuse {
  readonly offset: number;
  readonly cause: string;
}

function findMisuse({ visit }: Yaml, document: Document.Parsed<ParsedNode>): Misuse | undefined {
  let misuse: Misuse | undefined;
  let aliases = 0;
  const anchors = new Set<string | undefined>();
  visit(document, {
    Value: (_, { anchor }) => void anchors.add(anchor),
    Map: (_, { anchor, items }) => {
      anchors.add(anchor);
      misuse = findRepeatedKey(items.map(({ key }) => key as KeyNode));
      return misuse && visit.BREAK;
    },
    Alias: (_, { source, range }, path) => {
      aliases += 1;
      const cause = whyNoAlias(aliases, anchors.has(source), path.some(hasAnchor));
      if (cause === undefined) return undefined;
      misuse = { offset: range?.[0] ?? 0, cause };
      return visit.BREAK;
    },
  });
  return misuse;
}

function hasAnchor(node: object): boolean {
  return "anchor" in node && node.anchor !== undefined;
}

/** An alias within what another may repeat would let a short text grow without end. */
function whyNoAlias(aliases: number, known: boolean, repeated: boolean): string | undefined {
  if (aliases > aliasesMax) return `more than ${aliasesMax} aliases`;
  if (repeated) return "an alias stands below an anchor";
  return known ? undefined : "an alias stands before its anchor";
}

/** With `stringKeys` every key is a scalar with a string, or has been refused. */
interface KeyNode {
  readonly value: string;
  readonly range: readonly [number, number, number];
}

function findRepeatedKey(keys: readonly KeyNode[]): Misuse | undefined {
  const seen = new Set<string>();
  for (const { value, range } of keys) {
    if (seen.has(value)) return { offset: range[0], cause: `key \`${shortened(value, 60)}\` is there twice` };
    seen.add(value);
  }
  return undefined;
}

function inOneLine(cause: string): string {
  const line = shortened(cause.replace(/\s+/g, " ").trim(), causeLengthMax);
  return line.charAt(0).toLowerCase() + line.slice(1);
}
