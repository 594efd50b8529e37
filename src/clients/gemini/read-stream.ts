import { shortened } from "../../core/text/quoted.ts";
import { field, isText } from "../../core/values/fields.ts";
import type { AgentEnd, AgentEvent, Usage } from "../agent.ts";
import { findAnswer } from "../answer/find-answer.ts";
import type { StreamReading } from "../process/stream-client.ts";
import { toolLine } from "../process/tool-line.ts";
import type { ChatUsage } from "./chat-usage.ts";
import { readEnd } from "./read-end.ts";

const textLengthMax = 2000;

/** Reads `--output-format stream-json`. */
export class GeminiReading implements StreamReading {
  readonly #usage: ChatUsage;
  /** The text since the last tool call, which arrives in pieces. */
  #text = "";
  #result: unknown;
  #fault = "";
  /** The number of answers of the model. One answer may call several tools. */
  #turns = 1;
  #last: unknown;

  constructor(usage: ChatUsage) {
    this.#usage = usage;
  }

  read(message: unknown): readonly AgentEvent[] {
    const type = field(message, "type");
    if (type === "tool_use" && this.#last !== "tool_use") this.#turns += 1;
    this.#last = type;
    switch (type) {
      case "init":
        return this.#readConversation(field(message, "session_id"));
      case "message":
        if (field(message, "role") === "assistant") this.#text += textOf(message, "content");
        return [];
      case "tool_use": {
        const events = [...saidOf(this.#text), toolOf(message)];
        this.#text = "";
        return events;
      }
      case "tool_result":
        return [{ type: "tool-result", text: resultOf(message) }];
      case "error":
        this.#fault = textOf(message, "message");
        return saidOf(this.#fault);
      case "result":
        this.#result = message;
        return [...saidOf(this.#text), ...this.#readTotal(field(message, "stats"))];
      default:
        return [];
    }
  }

  used(): readonly Usage[] {
    return this.#usage.recorded();
  }

  end({ exit, tail }: { readonly exit: number | null; readonly tail: string }): AgentEnd | undefined {
    if (field(this.#result, "status") === "success") return { how: "done", answer: findAnswer(this.#text) };
    const said = textOf(field(this.#result, "error"), "message") || this.#fault;
    return readEnd({ exit, said, tail });
  }

  #readConversation(id: unknown): AgentEvent[] {
    if (!isText(id)) return [];
    this.#usage.follow(id);
    return [{ type: "conversation", id }];
  }

  #readTotal(stats: unknown): AgentEvent[] {
    return this.#usage.ofTotal(stats).map((one) => ({ ...one, turns: this.#turns }));
  }
}

function textOf(of: unknown, name: string): string {
  const text = field(of, name);
  return typeof text === "string" ? text : "";
}

function saidOf(text: string): AgentEvent[] {
  if (text.trim() === "") return [];
  return [{ type: "said", text: shortened(text.trim(), textLengthMax).toWellFormed() }];
}

function toolOf(message: unknown): AgentEvent {
  const input = field(message, "parameters");
  return { type: "tool", name: textOf(message, "tool_name"), text: toolLine(input), input };
}

/** Successful tools often print nothing; then the status is used. */
function resultOf(message: unknown): string {
  const said = textOf(message, "output") || textOf(field(message, "error"), "message");
  return (said || textOf(message, "status")).slice(0, textLengthMax).toWellFormed();
}
