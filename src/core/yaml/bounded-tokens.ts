import type { CST, LineCounter } from "yaml";

/** The module itself, handed in by whoever loaded it: reading YAML is rare and the parser large. */
type Yaml = Pick<typeof import("yaml"), "Lexer" | "Parser">;

export interface YamlBounds {
  readonly tokensMax: number;
  readonly depthMax: number;
}

/** A text that is not read to its end, and where. */
export class UnreadableYaml extends Error {
  readonly offset: number;
  constructor(offset: number, cause: string) {
    super(cause);
    this.offset = offset;
  }
}

/** What the composer gets. The parser's time grows faster than its input, so that is bounded on the way in. */
export function* boundedTokens(
  { Lexer, Parser }: Yaml,
  text: string,
  { lines, bounds }: { readonly lines: LineCounter; readonly bounds: YamlBounds },
): Generator<CST.Token> {
  const { tokensMax, depthMax } = bounds;
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let tokens = 0;
  for (const lexeme of new Lexer().lex(text)) {
    yield* wellFormed(parser.next(lexeme));
    tokens += 1;
    if (tokens > tokensMax) throw new UnreadableYaml(parser.offset, `more than ${tokensMax} tokens`);
    if (parser.stack.length > depthMax)
      throw new UnreadableYaml(parser.offset, `nested deeper than ${depthMax}`);
  }
  yield* wellFormed(parser.end());
}

/** The library would go on after a fault and collect one for each token that is left. */
function* wellFormed(tokens: Iterable<CST.Token>): Generator<CST.Token> {
  for (const token of tokens) {
    if (token.type === "error") throw new UnreadableYaml(token.offset, token.message);
    yield token;
  }
}
