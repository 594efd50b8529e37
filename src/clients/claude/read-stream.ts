import { shortened } from "../../core/text/quoted.ts";
import { field, isText } from "../../core/values/fields.ts";
import type { AgentEnd, AgentEvent } from "../agent.ts";
import { findAnswer } from "../answer/find-answer.ts";
import type { StreamReading } from "../process/stream-client.ts";
import { CountedUsage } from "./count-usage.ts";
import { readResetTime } from "./reset-time.ts";

const textLengthMax = 2000;
const lineLengthMax = 200;

/** The arguments of a tool that are shown to the user, in order of preference. */
const telling = ["command", "file_path", "notebook_path", "pattern", "url", "query", "description", "path"];

/** The stream of `claude -p --output-format stream-json`. */
export class ClaudeReading implements StreamReading {
  readonly #usage = new CountedUsage();
  #streamed = "";
  #error: string | undefined;
  #resetsAt: Date | null = null;
  #result: unknown;
  /** Kept across results: the end of a background task may make the agent send a further result without an answer. */
  #answer: unknown;

  read(message: unknown): readonly AgentEvent[] {
    switch (field(message, "type")) {
      case "system":
        return readSystem(message);
      case "stream_event":
        return this.#readPart(field(message, "event"));
      case "assistant":
        return this.#readAssistant(message);
      case "user":
        return blocksOf(message).flatMap(readToolResult);
      case "rate_limit_event":
        return this.#readLimit(field(message, "rate_limit_info"));
      case "result":
        this.#result = message;
        this.#answer = answerIn(message) ?? this.#answer;
        return this.#usage.ofResult(message);
      default:
        return [];
    }
  }

  end(): AgentEnd | undefined {
    const result = this.#result;
    if (result === undefined) return undefined;
    if (field(result, "is_error") !== true) return { how: "done", answer: this.#answer };
    const text = resultText(result);
    const reason = firstLine(text);
    switch (kindOf(this.#error, field(result, "api_error_status"))) {
      case "limited":
        return { how: "limited", until: this.#resetsAt ?? readResetTime(text, new Date()), reason };
      case "unauthenticated":
        return { how: "unauthenticated", reason };
      case "unavailable":
        return { how: "unavailable", reason };
      default:
        return { how: "failed", reason, output: text };
    }
  }

  /** A partial message: its first event has the input tokens, its last one the output tokens. */
  #readPart(event: unknown): AgentEvent[] {
    const message = field(event, "message");
    if (field(event, "type") === "message_start") this.#streamed = String(field(message, "id"));
    return this.#usage.ofMessage(this.#streamed, field(message, "usage") ?? field(event, "usage"));
  }

  #readAssistant(whole: unknown): AgentEvent[] {
    const error = field(whole, "error");
    this.#error = isText(error) ? error : undefined;
    const message = field(whole, "message");
    const usage = this.#usage.ofMessage(String(field(message, "id")), field(message, "usage"));
    return [...blocksOf(whole).flatMap(readBlock), ...usage];
  }

  #readLimit(limit: unknown): AgentEvent[] {
    const seconds = field(limit, "resetsAt");
    if (field(limit, "status") === "rejected" && typeof seconds === "number")
      this.#resetsAt = new Date(seconds * 1000);
    return [];
  }
}

function readSystem(message: unknown): AgentEvent[] {
  const id = field(message, "session_id");
  if (field(message, "subtype") === "init" && isText(id)) return [{ type: "conversation", id }];
  if (field(message, "subtype") !== "api_retry") return [];
  const [status = "nothing", error, ms] = ["error_status", "error", "retry_delay_ms"].map((name) =>
    field(message, name),
  );
  const seconds = Math.ceil(Number(ms) / 1000);
  return [{ type: "said", text: `the server answered ${status} (${error}): retrying in ${seconds} s` }];
}

function blocksOf(message: unknown): readonly unknown[] {
  const content = field(field(message, "message"), "content");
  return Array.isArray(content) ? content : [];
}

function readBlock(block: unknown): AgentEvent[] {
  const text = field(block, "text");
  if (isText(text)) return [{ type: "said", text: shortened(text, textLengthMax).toWellFormed() }];
  if (field(block, "type") !== "tool_use") return [];
  const input = field(block, "input");
  const line = telling.map((name) => field(input, name)).find(isText) ?? "";
  return [{ type: "tool", name: String(field(block, "name")), text: firstLine(line), input }];
}

function readToolResult(block: unknown): AgentEvent[] {
  if (field(block, "type") !== "tool_result") return [];
  return [
    { type: "tool-result", text: textOf(field(block, "content")).slice(0, textLengthMax).toWellFormed() },
  ];
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => field(part, "text") ?? "").join("\n");
}

function answerIn(result: unknown): unknown {
  const text = field(result, "result");
  return field(result, "structured_output") ?? (isText(text) ? findAnswer(text) : undefined);
}

/** Errors of the client itself are a list. */
function resultText(result: unknown): string {
  const errors = field(result, "errors");
  const text = field(result, "result") ?? (Array.isArray(errors) ? errors.join("\n") : undefined);
  return isText(text) ? text : `it ended with \`${field(result, "subtype")}\``;
}

type Kind = "limited" | "unauthenticated" | "unavailable";

const kinds: Readonly<Record<string, Kind>> = {
  rate_limit: "limited",
  billing_error: "limited",
  authentication_failed: "unauthenticated",
  oauth_org_not_allowed: "unauthenticated",
  account_on_hold: "unauthenticated",
  verification_required: "unauthenticated",
  cloud_credential_error: "unauthenticated",
  overloaded: "unavailable",
  server_error: "unavailable",
};

function kindOf(error: string | undefined, status: unknown): Kind | undefined {
  if (error !== undefined && Object.hasOwn(kinds, error)) return kinds[error];
  if (status === 429) return "limited";
  if (status === 401) return "unauthenticated";
  return typeof status === "number" && status >= 500 ? "unavailable" : undefined;
}

function firstLine(text: string): string {
  return shortened(text.trim().split("\n", 1)[0] ?? "", lineLengthMax).toWellFormed();
}
