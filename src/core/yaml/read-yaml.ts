import type { Document, LineCounter, ParsedNode, Range } from "yaml";
import { shortened } from "../text/quoted.ts";
import { boundedTokens, UnreadableYaml, type YamlBounds } from "./bounded-tokens.ts";

/** The `yaml` module, passed in by the caller so that the large parser is loaded only when needed. */
type Yaml = Pick<
  typeof import("yaml"),
  "Composer" | "Lexer" | "LineCounter" | "Parser" | "isScalar" | "visit"
>;

export type YamlDocument = Document.Parsed<ParsedNode>;

export interface YamlFault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

type ReadYaml =
  | { readonly documents: readonly YamlDocument[]; lineOf(offset: number): number }
  | { readonly fault: YamlFault };

const aliasesMax = 16;
const causeLengthMax = 200;

const options = {
  // Set explicitly: a `%YAML 1.1` line would otherwise enable that version's values and merge keys.
  schema: "core",
  resolveKnownTags: false,
  // The library compares each key with all others; `findMisuse` finds duplicates in one pass.
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: "silent",
} as const;

interface Composing {
  readonly lines: LineCounter;
  readonly bounds: YamlBounds;
  /** Keys must be strings, and unknown tags are errors. */
  readonly plain?: boolean;
}

/** Yields the documents and throws at the first error: collecting all errors of a long text could take minutes. */
export function* composeYaml(
  yaml: Yaml,
  text: string,
  { lines, bounds, plain = false }: Composing,
): Generator<YamlDocument> {
  const tokens = boundedTokens(yaml, text, { lines, bounds });
  for (const composed of new yaml.Composer({ ...options, stringKeys: plain }).compose(
    tokens,
    true,
    text.length,
  )) {
    const document = composed as YamlDocument;
    const [fault] = plain ? [...document.errors, ...document.warnings] : document.errors;
    if (fault !== undefined) throw new UnreadableYaml(fault.pos[0], fault.message);
    yield document;
  }
}

/** All documents of a YAML (or JSON) text as the library's nodes, which carry their positions. */
export function readYaml(yaml: Yaml, text: string, bounds: YamlBounds): ReadYaml {
  const lines = new yaml.LineCounter();
  const lineOf = (offset: number) => lines.linePos(offset).line;
  return caught(lines, () => {
    const documents: YamlDocument[] = [];
    for (const document of composeYaml(yaml, text, { lines, bounds })) {
      findMisuse(yaml, document);
      documents.push(document);
    }
    return { documents, lineOf };
  });
}

/** One document as a JSON value. Refuses custom tags, duplicate keys and more than a few aliases. */
export function readPlainYaml(
  yaml: Yaml,
  text: string,
  bounds: YamlBounds,
): { readonly value: unknown } | { readonly fault: YamlFault } {
  const lines = new yaml.LineCounter();
  return caught(lines, () => {
    let only: YamlDocument | undefined;
    for (const document of composeYaml(yaml, text, { lines, bounds, plain: true })) {
      if (only !== undefined)
        throw new UnreadableYaml(document.range[0], "a second document begins here: give only one");
      only = document;
      findMisuse(yaml, document, { plain: true });
    }
    return { value: only?.toJS() };
  });
}

function caught<Result>(lines: LineCounter, read: () => Result): Result | { readonly fault: YamlFault } {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnreadableYaml)) throw error;
    const { line, col } = lines.linePos(error.offset);
    return { fault: { line, column: col, message: inOneLine(error.message) } };
  }
}

/** Finds what the grammar allows but loaders refuse: duplicate keys, aliases without an anchor. */
function findMisuse({ visit, isScalar }: Yaml, document: YamlDocument, { plain = false } = {}): void {
  const anchors = new Set<string | undefined>();
  let aliases = 0;
  visit(document, {
    Value: (_, { anchor }) => void anchors.add(anchor),
    Map: (_, { anchor, items }) => {
      anchors.add(anchor);
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key) || (key.value === "<<" && !plain)) continue;
        if (seen.has(key.value))
          throw new UnreadableYaml(
            startOf(key.range),
            `key \`${shortened(String(key.value), 60)}\` is duplicated`,
          );
        seen.add(key.value);
      }
    },
    Alias: (_, { source, range }, path) => {
      aliases += 1;
      const cause =
        (plain ? whyNotPlain(aliases, path) : undefined) ??
        (anchors.has(source) ? undefined : "an alias comes before its anchor");
      if (cause !== undefined) throw new UnreadableYaml(startOf(range), cause);
    },
  });
}

/** Aliases below anchors would allow exponential growth. */
function whyNotPlain(aliases: number, path: readonly object[]): string | undefined {
  if (aliases > aliasesMax) return `more than ${aliasesMax} aliases`;
  return path.some(hasAnchor) ? "an alias is nested below an anchor" : undefined;
}

function hasAnchor(node: object): boolean {
  return "anchor" in node && node.anchor !== undefined;
}

function startOf(range: Range | null | undefined): number {
  return range?.[0] ?? 0;
}

function inOneLine(cause: string): string {
  const line = shortened(cause.replace(/\s+/g, " ").trim(), causeLengthMax);
  return line.charAt(0).toLowerCase() + line.slice(1);
}
