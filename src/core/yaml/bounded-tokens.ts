import type { CST, LineCounter } from "yaml";

/** The `yaml` module, passed in by the caller so that the large parser is loaded only when needed. */
type Yaml = Pick<typeof import("yaml"), "Lexer" | "Parser">;

export interface YamlBounds {
  readonly tokensMax: number;
  readonly depthMax: number;
}

/** Reading stopped at this offset. */
export class UnreadableYaml extends Error {
  readonly offset: number;
  constructor(offset: number, cause: string) {
    super(cause);
    this.offset = offset;
  }
}

/** The tokens for the composer. The parser takes more than linear time, so the input is bounded here. */
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

/** Throws at the first error. The library would continue and report one error per remaining token. */
function* wellFormed(tokens: Iterable<CST.Token>): Generator<CST.Token> {
  for (const token of tokens) {
    if (token.type === "error") throw new UnreadableYaml(token.offset, token.message);
    yield token;
  }
}
