import {
  type Answer,
  type Asked,
  eventStream,
  isAnswer,
  type ModelCall,
  type StandIn,
  scriptedFor,
  standIn,
  type Turn,
} from "./stand-in.ts";

interface ModelRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly tools?: readonly unknown[];
  /** The conversation so far in the older API, `/chat/completions`. */
  readonly messages?: readonly Said[];
  /** The same in the newer API, `/responses`. */
  readonly input?: readonly Said[];
}

interface Said {
  readonly role?: string;
  readonly content?: unknown;
  readonly output?: unknown;
}

export interface OpenaiStandIn extends StandIn {
  /** The conversation before each request, as text. */
  prompts(): readonly string[];
}

/** Both of OpenAI's APIs. They play turns to requests with tools; side questions get a title. */
export async function openaiStandIn(
  turns: readonly (Turn | Answer)[],
  delegated: readonly Turn[] = [],
): Promise<OpenaiStandIn> {
  const next = scriptedFor({ turns, delegated });
  const server = await standIn(async (asked) => {
    const request = requestOf(asked);
    if (request === undefined) return { status: 404, body: { error: { message: "there is no such path" } } };
    const turn = hasTools(request) ? await next(JSON.stringify(saidIn(request))) : { text: "a title" };
    if (isAnswer(turn)) return turn;
    return { body: request.messages === undefined ? newerForm(request, turn) : olderForm(request, turn) };
  });
  return {
    ...server,
    prompts: () =>
      server.asked.flatMap((asked) => {
        const request = requestOf(asked);
        return request !== undefined && hasTools(request)
          ? [
              saidIn(request)
                .map(({ content, output }) => textOf(content ?? output))
                .join("\n"),
            ]
          : [];
      }),
  };
}

function requestOf({ method, path, body }: Asked): ModelRequest | undefined {
  const isModel = method === "POST" && /^\/v1\/(?:chat\/completions|responses)$/.test(path);
  return isModel ? (body as ModelRequest) : undefined;
}

function hasTools({ tools = [] }: ModelRequest): boolean {
  return tools.length > 0;
}

function saidIn({ messages, input = [] }: ModelRequest): readonly Said[] {
  return messages ?? input;
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content ?? "");
  return content.map((part: { readonly text?: string }) => part.text ?? "").join("\n");
}

const usual = { input: 100, cached: 0, output: 10 };
let replies = 0;

function olderForm({ model, stream }: ModelRequest, { text = "", calls = [], usage = usual }: Turn): unknown {
  replies += 1;
  const base = { id: `chat_${replies}`, created: 1, model };
  const tool_calls = calls.map(({ name, input }, index) => ({
    ...{ index, id: `call_${replies}_${index}`, type: "function" },
    function: { name, arguments: JSON.stringify(input) },
  }));
  const message = { role: "assistant", content: text, ...(calls.length > 0 && { tool_calls }) };
  const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
  const used = {
    prompt_tokens: usage.input + usage.cached,
    prompt_tokens_details: { cached_tokens: usage.cached },
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.cached + usage.output,
  };
  if (stream !== true)
    return {
      ...{ ...base, object: "chat.completion", usage: used },
      choices: [{ index: 0, message, finish_reason }],
    };
  const chunk = { ...base, object: "chat.completion.chunk" };
  return eventStream([
    { data: { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] } },
    { data: { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] } },
    { data: { ...chunk, choices: [], usage: used } },
    { data: "[DONE]" },
  ]);
}

function newerForm({ model, stream }: ModelRequest, { text, calls = [], usage = usual }: Turn): unknown {
  replies += 1;
  const output = [
    ...(text === undefined ? [] : [messageItem(text)]),
    ...calls.map((call, index) => callItem(call, `${replies}_${index}`)),
  ];
  const begun = { id: `resp_${replies}`, object: "response", created_at: 1, model };
  const whole = {
    ...{ ...begun, status: "completed", output },
    usage: {
      input_tokens: usage.input + usage.cached,
      input_tokens_details: { cached_tokens: usage.cached },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.input + usage.cached + usage.output,
    },
  };
  if (stream !== true) return whole;
  const events = [
    { type: "response.created", response: { ...begun, status: "in_progress", output: [] } },
    ...output.flatMap((item, output_index) => [
      { type: "response.output_item.added", output_index, item },
      { type: "response.output_item.done", output_index, item },
    ]),
    { type: "response.completed", response: whole },
  ];
  return eventStream(
    events.map((event, sequence_number) => ({ name: event.type, data: { ...event, sequence_number } })),
  );
}

function messageItem(text: string) {
  const content = [{ type: "output_text", text, annotations: [] }];
  return { type: "message", id: `msg_${replies}`, role: "assistant", status: "completed", content };
}

/** A tool without a schema gets its input as a text. */
function callItem({ name, input, namespace }: ModelCall, id: string) {
  const call = {
    name,
    ...(namespace !== undefined && { namespace }),
    call_id: `call_${id}`,
    status: "completed",
  };
  return typeof input === "string"
    ? { type: "custom_tool_call", id: `ctc_${id}`, ...call, input }
    : { type: "function_call", id: `fc_${id}`, ...call, arguments: JSON.stringify(input) };
}
