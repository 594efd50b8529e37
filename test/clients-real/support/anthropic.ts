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

interface MessagesRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly tools?: readonly unknown[];
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

export interface AnthropicStandIn extends StandIn {
  /** The conversation before each request, as text. */
  prompts(): readonly string[];
}

/**
 * Anthropic's Messages API. It plays turns to requests with tools; side questions get a title. With several parallel
 * conversations, each turn is made from its own conversation as JSON.
 */
export async function anthropicStandIn(
  turns: readonly (Turn | Answer)[] | ((said: string) => Turn | Answer),
  delegated: readonly Turn[] = [],
): Promise<AnthropicStandIn> {
  const next = typeof turns === "function" ? turns : scriptedFor({ turns, delegated });
  const server = await standIn(async (asked) => {
    const request = conversation(asked);
    if (request !== undefined) return answerTo(request, await next(JSON.stringify(request.messages)));
    if (isMessages(asked)) return answerTo(asked.body as MessagesRequest, { text: '{"title":"a title"}' });
    if (asked.path.includes("/count_tokens")) return { body: { input_tokens: asked.text.length } };
    return { body: {} };
  });
  return {
    ...server,
    prompts: () =>
      server.asked.flatMap((asked) => {
        const request = conversation(asked);
        return request === undefined
          ? []
          : [request.messages.map(({ content }) => textOf(content)).join("\n")];
      }),
  };
}

function isMessages({ method, path }: Asked): boolean {
  return method === "POST" && /^\/v1\/messages(?:\?|$)/.test(path);
}

function conversation(asked: Asked): MessagesRequest | undefined {
  const request = asked.body as MessagesRequest;
  return isMessages(asked) && (request.tools?.length ?? 0) > 0 ? request : undefined;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block) => block.text ?? textOf(block.content)).join("\n");
}

let messages = 0;

function answerTo(request: MessagesRequest, turn: Turn | Answer): Answer {
  if (isAnswer(turn)) return turn;
  messages += 1;
  const { text, calls = [], usage = { input: 100, cached: 0, output: 10 } } = turn;
  const content = [
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...calls.map(({ name, input }, at) => ({ type: "tool_use", id: `toolu_${messages}_${at}`, name, input })),
  ];
  const message = {
    ...{ id: `msg_${messages}`, type: "message", role: "assistant", model: request.model, content },
    ...{ stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null },
    usage: {
      input_tokens: usage.input,
      cache_read_input_tokens: usage.cached,
      cache_creation_input_tokens: 0,
      output_tokens: usage.output,
    },
  };
  return { body: request.stream === true ? streamOf(message) : message };
}

type Block = { readonly type: string; readonly text?: string; readonly input?: unknown };

function streamOf({
  content,
  usage,
  stop_reason,
  ...message
}: {
  readonly content: readonly Block[];
  readonly usage: { readonly output_tokens: number };
  readonly stop_reason: string;
}): string {
  const blocks = content.flatMap((block, index) => {
    const said = block.type === "text";
    return [
      {
        type: "content_block_start",
        index,
        content_block: said ? { ...block, text: "" } : { ...block, input: {} },
      },
      {
        type: "content_block_delta",
        index,
        delta: said
          ? { type: "text_delta", text: block.text }
          : { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
      },
      { type: "content_block_stop", index },
    ];
  });
  const events = [
    {
      type: "message_start",
      message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    },
    ...blocks,
    {
      type: "message_delta",
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    },
    { type: "message_stop" },
  ];
  return eventStream(events.map((data) => ({ name: data.type, data })));
}
