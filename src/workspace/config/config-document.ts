import * as yaml from "yaml";
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLError,
} from "yaml";
import { quoted, shortened } from "../../core/text/quoted.ts";
import { UnreadableYaml } from "../../core/yaml/bounded-tokens.ts";
import { composeYaml } from "../../core/yaml/read-yaml.ts";
import type { ConfigFault } from "./config-fault.ts";

const depthMax = 16;
/** For a text up to this length all errors are reported, for a longer one only the first. */
const shortLengthMax = 256 * 1024;
const longBounds = { depthMax: 64, tokensMax: 1_500_000 };
const messageLengthMax = 160;

export type Path = readonly (string | number)[];

export interface ConfigDocument {
  readonly file: string;
  readonly value: unknown;
  /** Values that cannot be read; each is null in `value`. */
  readonly faults: readonly ConfigFault[];
  readonly root: Spot;
  lineAndColumn(offset: number): { readonly line: number; readonly column: number };
}

/** The offsets of a value and of everything in it. */
export interface Spot {
  readonly key: number | undefined;
  readonly value: number;
  readonly children: ReadonlyMap<string | number, Spot>;
}

/** Reads one YAML document of plain maps, lists and scalars. */
export function readConfigDocument(file: string, text: string): ConfigDocument | readonly ConfigFault[] {
  const lines = new LineCounter();
  // Duplicate keys are found below: the parser's own check takes seconds for a file with many keys.
  const options = { prettyErrors: false, uniqueKeys: false, schema: "core" } as const;
  const parsed =
    text.length > shortLengthMax
      ? parseLong(text, lines)
      : parseDocument(text, { ...options, lineCounter: lines });
  const lineAndColumn = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  if (parsed instanceof UnreadableYaml)
    return [{ file, ...lineAndColumn(parsed.offset), ...notPlain(parsed.message) }];
  const wrong = [...parsed.errors, ...parsed.warnings];
  if (wrong.length > 0)
    return onePerLine(wrong.map((error) => ({ file, ...lineAndColumn(error.pos[0]), ...described(error) })));
  const reader = new Reader();
  const { value, spot } = reader.read({ node: parsed.contents, path: [], key: undefined });
  const faults = reader.findings.map(({ offset, ...rest }) => ({ file, ...lineAndColumn(offset), ...rest }));
  return { file, value: value ?? {}, faults, root: spot, lineAndColumn };
}

/** Reads up to the first error. */
function parseLong(text: string, lines: LineCounter): Document.Parsed | UnreadableYaml {
  try {
    const [first, second] = composeYaml(yaml, text, { lines, bounds: longBounds });
    if (second !== undefined) return new UnreadableYaml(second.range[0], "a second document starts here");
    return first ?? new UnreadableYaml(0, "the document is missing");
  } catch (error) {
    if (error instanceof UnreadableYaml) return error;
    throw error;
  }
}

/** `limits.tokens.warn`, `workspace.setup[0][1]`. */
export function pathText(path: Path): string {
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      return index === 0 ? step : `.${step}`;
    })
    .join("");
}

/** Further errors in a line are mostly caused by the first one. */
function onePerLine<Placed extends { readonly line: number }>(errors: readonly Placed[]): readonly Placed[] {
  const lines = new Set<number>();
  return errors
    .filter(({ line }) => !lines.has(line) && lines.add(line))
    .sort((one, other) => one.line - other.line);
}

type Described = Pick<ConfigFault, "path" | "problem" | "expected">;

const tooDeep = { problem: "this is nested too deeply", expected: `at most ${depthMax} levels` };

function described(error: YAMLError): Described {
  if (error.code === "MULTIPLE_DOCS")
    return { path: "", problem: "a second document starts here", expected: "one document" };
  if (error.code === "RESOURCE_EXHAUSTION") return { path: "", ...tooDeep };
  return notPlain(error.message);
}

function notPlain(cause: string): Described {
  // The parser says: Missing closing "quote
  const message = shortened(cause, messageLengthMax).replace(/closing (["'])quote/, "closing $1");
  const lower = message.charAt(0).toLowerCase() + message.slice(1);
  const isIndent = /without - indicator|start at the same column/.test(message);
  const expected = isIndent ? "the keys of one map or item in one column" : "maps, lists and plain values";
  return { path: "", problem: `this is not plain YAML (${lower})`, expected };
}

type Children = Map<string | number, Spot>;
type Pairs = readonly { readonly key: Node | null; readonly value: Node | null }[];

interface At {
  readonly node: Node | null;
  readonly path: Path;
  readonly key: number | undefined;
}

/** Turns nodes into values and records their offsets. */
class Reader {
  readonly findings: (Described & { readonly offset: number })[] = [];

  read({ node, path, key }: At): { value: unknown; spot: Spot } {
    const offset = node?.range?.[0] ?? key ?? 0;
    const children: Children = new Map();
    return { value: this.#valueOf(node, { path, offset, children }), spot: { key, value: offset, children } };
  }

  #valueOf(node: Node | null, at: { path: Path; offset: number; children: Children }): unknown {
    const { path, offset, children } = at;
    if (path.length > depthMax) return this.#find(offset, path, tooDeep);
    if (isAlias(node))
      return this.#find(offset, path, {
        problem: `${quoted(`*${node.source}`)} is an alias`,
        expected: "the value itself",
      });
    if (isMap<Node | null, Node | null>(node)) return this.#readMap(node.items as Pairs, path, children);
    if (isSeq<Node | null>(node)) return this.#readList(node.items, path, children);
    return isScalar(node) ? node.value : null;
  }

  #readList(items: readonly (Node | null)[], path: Path, children: Children): unknown[] {
    return items.map((node, index) => {
      const { value, spot } = this.read({ node, path: [...path, index], key: undefined });
      children.set(index, spot);
      return value;
    });
  }

  #readMap(pairs: Pairs, path: Path, children: Children): Record<string, unknown> {
    const map: Record<string, unknown> = {};
    for (const { key: node, value: held } of pairs) {
      const offset = node?.range?.[0] ?? held?.range?.[0] ?? 0;
      const key = keyOf(node);
      if (key === undefined) {
        this.#find(offset, path, { problem: "this is not a key", expected: "a word" });
        continue;
      }
      const below = [...path, key];
      if (children.has(key)) {
        this.#find(offset, below, {
          problem: `${quoted(pathText(below))} is given twice`,
          expected: "each key once",
        });
        continue;
      }
      const { value, spot } = this.read({ node: held, path: below, key: offset });
      children.set(key, spot);
      map[key] = value;
    }
    return map;
  }

  #find(offset: number, path: Path, fault: Omit<Described, "path">): null {
    this.findings.push({ offset, path: pathText(path), ...fault });
    return null;
  }
}

/** A number or boolean as a key is read as the word in the file. */
function keyOf(node: Node | null): string | undefined {
  if (!isScalar(node) || node.value === null) return undefined;
  const key = typeof node.value === "string" ? node.value : node.source;
  return key === "__proto__" ? undefined : key;
}
