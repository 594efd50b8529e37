import { field, isText } from "../../core/points/fields.ts";
import { shortened } from "../../core/points/quoted.ts";
import type { AgentEnd, AgentEvent } from "../agent.ts";
import { findAnswer } from "../answer/find-answer.ts";
import type { StreamReading } from "../process/stream-client.ts";
import { toolLine } from "../process/tool-line.ts";
import { readEnd } from "./read-end.ts";

const textLengthMax = 2000;

/** Reads `--output-format stream-json`. */
export class GeminiReading implements StreamReading {
  /** What it said since its last call of a tool; it comes in pieces. */
  #text = "";
  #result: unknown;
  #fault = "";
  /** Answers of the model, one of which may call several tools. */
  #turns = 1;
  #last: unknown;

  read(message: unknown): readonly AgentEvent[] {
    const type = field(message, "type");
    if (type === "tool_use" && this.#last !== "tool_use") this.#turns += 1;
    this.#last = type;
    switch (type) {
      case "init":
        return conversationOf(message);
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
        return [...saidOf(this.#text), ...usageOf(field(message, "stats"), this.#turns)];
      default:
        return [];
    }
  }

  end({ exit, tail }: { readonly exit: number | null; readonly tail: string }): AgentEnd | undefined {
    if (field(this.#result, "status") === "success") return { how: "done", answer: findAnswer(this.#text) };
    const said = textOf(field(this.#result, "error"), "message") || this.#fault;
    return readEnd({ exit, said, tail });
  }
}

function textOf(of: unknown, name: string): string {
  const text = field(of, name);
  return typeof text === "string" ? text : "";
}

function conversationOf(message: unknown): AgentEvent[] {
  const id = field(message, "session_id");
  return isText(id) ? [{ type: "conversation", id }] : [];
}

function saidOf(text: string): AgentEvent[] {
  if (text.trim() === "") return [];
  return [{ type: "said", text: shortened(text.trim(), textLengthMax).toWellFormed() }];
}

function toolOf(message: unknown): AgentEvent {
  const input = field(message, "parameters");
  return { type: "tool", name: textOf(message, "tool_name"), text: toolLine(input), input };
}

/** A tool that went well often says nothing. */
function resultOf(message: unknown): string {
  const said = textOf(message, "output") || textOf(field(message, "error"), "message");
  return (said || textOf(message, "status")).slice(0, textLengthMax).toWellFormed();
}

/** Told once, at the end, for this run alone. Thoughts are in the total only. */
function usageOf(stats: unknown, turns: number): AgentEvent[] {
  const count = (name: string) => {
    const value = field(stats, name);
    return typeof value === "number" ? value : 0;
  };
  const output = count("total_tokens") - count("input_tokens");
  const cached = count("cached");
  const input = count("input_tokens") - cached;
  return input + cached + output > 0
    ? [{ type: "usage", tokens: input + output, input, cached, output, turns }]
    : [];
}
