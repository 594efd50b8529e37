import { shortened } from "../../core/text/quoted.ts";
import { field, isText } from "../../core/values/fields.ts";
import type { AgentEnd, AgentEvent, Usage } from "../agent.ts";
import { findAnswer } from "../answer/find-answer.ts";
import type { StreamReading } from "../process/stream-client.ts";
import { toolLine } from "../process/tool-line.ts";
import { readError } from "./read-error.ts";
import type { ThreadUsage } from "./thread-usage.ts";

const textLengthMax = 2000;

/** Reads `codex exec --json`. */
export class CodexReading implements StreamReading {
  readonly #usage: ThreadUsage;
  /** Ids of tool calls that were reported at their start. */
  readonly #begun = new Set<unknown>();
  #calls = 0;
  /** The last message of the agent. */
  #text = "";
  #error: string | undefined;

  constructor(usage: ThreadUsage) {
    this.#usage = usage;
  }

  read(message: unknown): readonly AgentEvent[] {
    switch (field(message, "type")) {
      case "thread.started":
        return this.#readThread(field(message, "thread_id"));
      case "item.started":
        return this.#readBegun(field(message, "item"));
      case "item.completed":
        return this.#readItem(field(message, "item"));
      case "turn.completed":
        return this.#usage
          .ofTotal(field(message, "usage"))
          .map((one) => ({ ...one, turns: 1 + this.#calls }));
      case "turn.failed":
        this.#error = textOf(field(message, "error"), "message") || "codex failed without an error message";
        return [];
      case "error":
        return saidOf(textOf(message, "message"));
      default:
        return [];
    }
  }

  used(): readonly Usage[] {
    return this.#usage.recorded();
  }

  end({ exit }: { readonly exit: number | null }): AgentEnd | undefined {
    if (this.#error !== undefined) return readError(this.#error, new Date());
    return exit === 0 ? { how: "done", answer: findAnswer(this.#text) } : undefined;
  }

  #readThread(id: unknown): AgentEvent[] {
    if (!isText(id)) return [];
    this.#usage.follow(id);
    return [{ type: "conversation", id }];
  }

  #readBegun(item: unknown): AgentEvent[] {
    const call = callOf(item);
    if (call === undefined) return [];
    this.#begun.add(field(item, "id"));
    return [call];
  }

  #readItem(item: unknown): AgentEvent[] {
    const call = callOf(item);
    if (call !== undefined) {
      this.#calls += 1;
      const result: AgentEvent = { type: "tool-result", text: resultOf(item) };
      return this.#begun.delete(field(item, "id")) ? [result] : [call, result];
    }
    const text = textOf(item, "text");
    if (field(item, "type") !== "agent_message") return saidOf(textOf(item, "message"));
    if (isText(text)) this.#text = text;
    return saidOf(text);
  }
}

/** Undefined if the item is not a tool call. */
function callOf(item: unknown): AgentEvent | undefined {
  const name = textOf(item, "type");
  switch (name) {
    case "command_execution":
      return toolOf(name, { command: textOf(item, "command") });
    case "file_change":
      return { ...toolOf(name, { changes: field(item, "changes") }), text: changesOf(item) };
    case "mcp_tool_call":
      return toolOf(`${textOf(item, "server")}.${textOf(item, "tool")}`, field(item, "arguments"));
    case "web_search":
      return toolOf(name, { query: textOf(item, "query") });
    default:
      return undefined;
  }
}

function toolOf(name: string, input: unknown): Extract<AgentEvent, { type: "tool" }> {
  return { type: "tool", name, text: toolLine(input), input };
}

function changesOf(item: unknown): string {
  const changes = field(item, "changes");
  const lines = (Array.isArray(changes) ? changes : []).map(
    (change) => `${textOf(change, "kind")} ${textOf(change, "path")}`,
  );
  return shortened(lines.join(", "), textLengthMax).toWellFormed();
}

/** Successful tools often print nothing; then the status is used. */
function resultOf(item: unknown): string {
  const said =
    textOf(item, "aggregated_output") ||
    contentOf(field(item, "result")) ||
    textOf(field(item, "error"), "message");
  return (said || textOf(item, "status")).slice(0, textLengthMax).toWellFormed();
}

function contentOf(result: unknown): string {
  const parts = field(result, "content");
  return Array.isArray(parts) ? parts.map((part) => textOf(part, "text")).join("\n") : "";
}

function saidOf(text: string): AgentEvent[] {
  if (text.trim() === "") return [];
  return [{ type: "said", text: shortened(text.trim(), textLengthMax).toWellFormed() }];
}

function textOf(of: unknown, name: string): string {
  const text = field(of, name);
  return typeof text === "string" ? text : "";
}
