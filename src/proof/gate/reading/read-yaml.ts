import type { Document, ParsedNode, Range } from "yaml";
import { shortened } from "../../../core/points/quoted.ts";
import { boundedTokens, UnreadableYaml } from "../../../core/yaml/bounded-tokens.ts";
import type { Fault } from "./fault.ts";

type Yaml = typeof import("yaml");

/** The parser's time grows faster than its input; what is larger or deeper than this is not read. */
const bounds = { depthMax: 128, tokensMax: 500_000 };
const causeLengthMax = 200;

const options = {
  // Named, because a `%YAML 1.1` line would otherwise bring that version's values and merge keys.
  schema: "core",
  resolveKnownTags: false,
  // The library compares each key with all others; `findMisuse` does it in one pass.
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: "silent",
} as const;

export type YamlDocument = Document.Parsed<ParsedNode>;
export type YamlResult =
  | { readonly documents: readonly YamlDocument[]; lineOf(offset: number): number }
  | { readonly fault: Fault };

/** All documents of a YAML (or JSON) file as the library's nodes, which know where they stand. */
export async function readYaml(text: string): Promise<YamlResult> {
  const yaml = await import("yaml");
  const lines = new yaml.LineCounter();
  const lineOf = (offset: number) => lines.linePos(offset).line;
  try {
    const documents: YamlDocument[] = [];
    for (const document of new yaml.Composer(options).compose(
      boundedTokens(yaml, text, { lines, bounds }),
      true,
      text.length,
    )) {
      const [error] = document.errors;
      if (error !== undefined) throw new UnreadableYaml(error.pos[0], error.message);
      findMisuse(yaml, document as YamlDocument);
      documents.push(document as YamlDocument);
    }
    return { documents, lineOf };
  } catch (error) {
    if (error instanceof UnreadableYaml)
      return { fault: { line: lineOf(error.offset), message: inOneLine(error.message) } };
    throw error;
  }
}

/** What the grammar allows and no loader takes: a key that is there twice, an alias of nothing. */
function findMisuse({ visit, isScalar }: Yaml, document: YamlDocument): void {
  const anchors = new Set<string | undefined>();
  visit(document, {
    Value: (_, { anchor }) => void anchors.add(anchor),
    Map: (_, { anchor, items }) => {
      anchors.add(anchor);
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key) || key.value === "<<") continue;
        const { value } = key;
        if (seen.has(value))
          throw new UnreadableYaml(
            startOf(key.range),
            `key \`${shortened(String(value), 60)}\` is there twice`,
          );
        seen.add(value);
      }
    },
    Alias: (_, { source, range }) => {
      if (!anchors.has(source)) throw new UnreadableYaml(startOf(range), "an alias stands before its anchor");
    },
  });
}

function startOf(range: Range | null | undefined): number {
  return range?.[0] ?? 0;
}

function inOneLine(cause: string): string {
  const line = shortened(cause.replace(/\s+/g, " ").trim(), causeLengthMax);
  return line.charAt(0).toLowerCase() + line.slice(1);
}
