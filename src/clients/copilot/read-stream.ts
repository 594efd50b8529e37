import { join } from "node:path";
import { shortened } from "../../core/text/quoted.ts";
import { field, isText } from "../../core/values/fields.ts";
import type { AgentEnd, AgentEvent, Usage } from "../agent.ts";
import { findAnswer } from "../answer/find-answer.ts";
import { AppendedLines } from "../process/appended-lines.ts";
import { jsonLine } from "../process/json-line.ts";
import { type Counts, ReportedUsage, tokensIn } from "../process/reported-usage.ts";
import type { StreamReading } from "../process/stream-client.ts";
import { toolLine } from "../process/tool-line.ts";
import { readEnd } from "./read-end.ts";

const textLengthMax = 2000;

/** Reads `copilot --output-format json`. Token counts are only in its own record of the session. */
export class CopilotReading implements StreamReading {
  readonly #record: AppendedLines;
  readonly #session: string;
  readonly #reported = new ReportedUsage();
  #isConversationReported = false;
  /** The last message of the agent. */
  #text = "";
  #error: unknown;

  constructor(home: string, session: string) {
    this.#session = session;
    this.#record = new AppendedLines(join(home, "session-state", session, "events.jsonl"));
    // Skips the usage of earlier runs.
    this.#record.next();
  }

  read(message: unknown): readonly AgentEvent[] {
    return [...this.#newConversation(), ...this.#readMessage(message)];
  }

  used(): readonly Usage[] {
    return this.#record.next().flatMap((line) => {
      const event = line.includes('"session.usage_record"') ? jsonLine(line) : undefined;
      const isUsage = field(event, "type") === "session.usage_record";
      return isUsage ? this.#reported.add(countsOf(field(field(event, "data"), "usage"))) : [];
    });
  }

  end({ exit, tail }: { readonly exit: number | null; readonly tail: string }): AgentEnd | undefined {
    if (exit === 0) return { how: "done", answer: findAnswer(this.#text) };
    return readEnd(this.#error, tail, new Date());
  }

  #newConversation(): AgentEvent[] {
    if (this.#isConversationReported) return [];
    this.#isConversationReported = true;
    return [{ type: "conversation", id: this.#session }];
  }

  #readMessage(message: unknown): AgentEvent[] {
    const data = field(message, "data");
    switch (field(message, "type")) {
      case "assistant.message":
        // A subagent's message is not the answer.
        if (field(message, "agentId") === undefined && isText(field(data, "content")))
          this.#text = textOf(data, "content");
        return saidOf(textOf(data, "content"));
      case "tool.execution_start":
        return [toolOf(data)];
      case "tool.execution_complete":
        return [{ type: "tool-result", text: resultOf(data) }];
      case "session.error":
        this.#error = data;
        return saidOf(textOf(data, "message"));
      case "session.info":
      case "session.warning":
        return saidOf(textOf(data, "message"));
      default:
        return [];
    }
  }
}

/** The usage of one answer of the model. The client's input tokens include cached ones. */
function countsOf(usage: unknown): Counts {
  const input = tokensIn(usage, "inputTokens");
  const cached = Math.min(tokensIn(usage, "cacheReadTokens"), input);
  return { input: input - cached, cached, output: tokensIn(usage, "outputTokens") };
}

/** For some models the tool's input is a plain patch. */
function toolOf(data: unknown): AgentEvent {
  const input = field(data, "arguments");
  const patched = typeof input === "string" ? /^\*\*\* \w+ File: .*$/m.exec(input)?.[0] : undefined;
  return { type: "tool", name: textOf(data, "toolName"), text: patched ?? toolLine(input), input };
}

function resultOf(data: unknown): string {
  const said = textOf(field(data, "result"), "content") || textOf(field(data, "error"), "message");
  return said.slice(0, textLengthMax).toWellFormed();
}

function saidOf(text: string): AgentEvent[] {
  if (text.trim() === "") return [];
  return [{ type: "said", text: shortened(text.trim(), textLengthMax).toWellFormed() }];
}

function textOf(of: unknown, name: string): string {
  const text = field(of, name);
  return typeof text === "string" ? text : "";
}
