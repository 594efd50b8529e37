import { Composer, type Document, Lexer, type LineCounter, Parser } from "yaml";
import { boundedTokens, UnreadableYaml } from "../core/yaml/bounded-tokens.ts";

const bounds = { depthMax: 64, tokensMax: 1_500_000 };

/** One document, read no further than to its first error: a long text full of them would take minutes. */
export function parseLongYaml(
  text: string,
  lines: LineCounter,
  options: ConstructorParameters<typeof Composer>[0],
): Document.Parsed | UnreadableYaml {
  let first: Document.Parsed | undefined;
  try {
    const tokens = boundedTokens({ Lexer, Parser }, text, { lines, bounds });
    for (const document of new Composer(options).compose(tokens, true, text.length)) {
      const [error] = document.errors;
      if (error !== undefined) return new UnreadableYaml(error.pos[0], error.message);
      if (first !== undefined) return new UnreadableYaml(document.range[0], "a second document starts here");
      first = document as Document.Parsed;
    }
  } catch (error) {
    if (error instanceof UnreadableYaml) return error;
    throw error;
  }
  return first ?? new UnreadableYaml(0, "there is no document");
}
