import { shortened } from "../../core/text/quoted.ts";
import { field, isText } from "../../core/values/fields.ts";
import type { AgentEnd, AgentEvent } from "../agent.ts";
import { findAnswer } from "../answer/find-answer.ts";
import type { StreamReading } from "../process/stream-client.ts";
import { toolLine } from "../process/tool-line.ts";
import { readError } from "./read-error.ts";

const textLengthMax = 2000;

/** Reads `opencode run --format json`: a line for every finished part of the conversation. */
export class OpencodeReading implements StreamReading {
  #conversation: unknown;
  /** The last message of the agent. */
  #text = "";
  #error: unknown;

  read(message: unknown): readonly AgentEvent[] {
    return [...this.#newConversation(message), ...this.#readPart(message)];
  }

  end({ exit, tail }: { readonly exit: number | null; readonly tail: string }): AgentEnd | undefined {
    if (this.#error !== undefined) return readError(this.#error, tail);
    return exit === 0 ? { how: "done", answer: findAnswer(this.#text) } : undefined;
  }

  /** Every line names the conversation; it is reported once. */
  #newConversation(message: unknown): AgentEvent[] {
    const id = field(message, "sessionID");
    if (!isText(id) || id === this.#conversation) return [];
    this.#conversation = id;
    return [{ type: "conversation", id }];
  }

  #readPart(message: unknown): readonly AgentEvent[] {
    const part = field(message, "part");
    switch (field(message, "type")) {
      case "text": {
        const text = field(part, "text");
        if (!isText(text)) return [];
        this.#text = text;
        return [{ type: "said", text: shortened(text.trim(), textLengthMax).toWellFormed() }];
      }
      case "tool_use":
        return readTool(part);
      case "step_finish":
        return usageOf(part);
      case "error":
        this.#error = field(message, "error") ?? {};
        return [];
      default:
        return [];
    }
  }
}

/** A tool is reported at its end: call and result are one message. */
function readTool(part: unknown): AgentEvent[] {
  const state = field(part, "state");
  const input = field(state, "input");
  const result = field(state, "output") ?? field(state, "error") ?? "";
  return [
    { type: "tool", name: String(field(part, "tool")), text: toolLine(input), input },
    { type: "tool-result", text: String(result).slice(0, textLengthMax).toWellFormed() },
  ];
}

/** The usage of one step. Tokens written to the cache were read uncached. */
function usageOf(part: unknown): AgentEvent[] {
  const tokens = field(part, "tokens");
  const cache = field(tokens, "cache");
  const input = count(tokens, "input") + count(cache, "write");
  const output = count(tokens, "output") + count(tokens, "reasoning");
  const cached = count(cache, "read");
  const costUsd = count(part, "cost");
  if (input + output + cached + costUsd === 0) return [];
  return [{ type: "usage", tokens: input + output, input, cached, output, ...(costUsd > 0 && { costUsd }) }];
}

function count(of: unknown, name: string): number {
  const value = field(of, name);
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
