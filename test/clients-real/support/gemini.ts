import {
  type Answer,
  type Asked,
  eventStream,
  isAnswer,
  type StandIn,
  scriptedFor,
  standIn,
  type Turn,
} from "./stand-in.ts";

interface Part {
  readonly text?: string;
  readonly functionResponse?: { readonly response?: unknown };
}

interface GenerateRequest {
  readonly contents: readonly { readonly role: string; readonly parts: readonly Part[] }[];
  readonly tools?: readonly { readonly functionDeclarations?: readonly { readonly name: string }[] }[];
}

export interface GeminiStandIn extends StandIn {
  /** The conversation before each request, as text. */
  prompts(): readonly string[];
}

/** Gemini's API. It plays turns to requests with tools; side questions get an empty object. */
export async function geminiStandIn(
  turns: readonly (Turn | Answer)[],
  delegated: readonly Turn[] = [],
): Promise<GeminiStandIn> {
  const next = scriptedFor({ turns, delegated });
  const server = await standIn(async (asked) => {
    const request = conversation(asked);
    if (request !== undefined) return answerTo(asked, await next(JSON.stringify(request.contents)));
    if (asked.path.includes(":countTokens")) return { body: { totalTokens: asked.text.length } };
    return answerTo(asked, { text: "{}" });
  });
  return {
    ...server,
    prompts: () =>
      server.asked.flatMap((asked) => {
        const request = conversation(asked);
        return request === undefined ? [] : [textOf(request)];
      }),
  };
}

/** A refusal in the server's own form. */
export function refusal(
  code: number,
  status: string,
  message: string,
  details: readonly unknown[] = [],
): Answer {
  return { status: code, body: { error: { code, message, status, details } } };
}

function conversation({ path, body }: Asked): GenerateRequest | undefined {
  if (!/:(?:stream)?generateContent/i.test(path)) return undefined;
  const request = body as GenerateRequest;
  const tools = request.tools?.flatMap(({ functionDeclarations = [] }) => functionDeclarations) ?? [];
  return tools.length > 0 ? request : undefined;
}

function textOf({ contents }: GenerateRequest): string {
  const parts = contents.flatMap((content) => content.parts);
  return parts
    .map(({ text, functionResponse }) => text ?? JSON.stringify(functionResponse?.response ?? ""))
    .join("\n");
}

function answerTo({ path }: Asked, turn: Turn | Answer): Answer {
  if (isAnswer(turn)) return turn;
  const { text, calls = [], usage = { input: 100, cached: 0, output: 10 } } = turn;
  const parts = [
    ...(text === undefined ? [] : [{ text }]),
    // The newer models require their own signature in the next request, and clients send none without one.
    ...calls.map(({ name, input }) => ({ functionCall: { name, args: input }, thoughtSignature: "c2ln" })),
  ];
  const body = {
    candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }],
    usageMetadata: {
      promptTokenCount: usage.input + usage.cached,
      cachedContentTokenCount: usage.cached,
      candidatesTokenCount: usage.output,
      totalTokenCount: usage.input + usage.cached + usage.output,
    },
  };
  return { body: path.includes(":stream") ? eventStream([{ data: body }]) : body };
}
