import type { AgentEvent } from "../../clients/agent.ts";
import { isTaskState } from "../../core/tasks/states.ts";
import { readJson } from "../../core/text/read-json.ts";
import { field } from "../../core/values/fields.ts";
import { stateWord } from "../../view/words.ts";
import { printable } from "../output/table.ts";

/** Shows the progress of a run: the live view, or plain lines. */
export interface RunWatcher {
  onTask(task: string, event: AgentEvent): void;
  /** A step of Lockstep itself, such as a check. */
  step(line: string): void;
  /** A message for the person. */
  tell(line: string): void;
  /** A remark that stays visible. */
  remark(line: string): void;
  /** The keys that end the run; absent if it is only Ctrl-C. */
  readonly endKeys?: string;
  /** True while another program uses the terminal and receives its Ctrl-C. */
  readonly isCopied: boolean;
}

/** The text of an event, for people; undefined for events that are not shown. */
export function lastThing(event: AgentEvent): string | undefined {
  if (event.type !== "said" && event.type !== "tool") return undefined;
  // The output of a failed agent follows the first line; it is in the log.
  const text = event.text.startsWith("failed: ") ? (event.text.split("\n")[0] ?? "") : event.text;
  return printable(answerWords(text) ?? (isTaskState(text) ? stateWord(text) : text));
}

/** Status and summary of an agent's JSON answer. A reviewer's answer begins with its name. */
export function answerWords(text: string): string | undefined {
  const [, name = "", json] = /^\s*(?:([\w.-]+): )?(\{[\s\S]*\})\s*$/.exec(text) ?? [];
  if (json === undefined) return undefined;
  const answer = readJson(json);
  const [status, summary] = ["status", "summary"].map((key) => field(answer, key));
  if (typeof status !== "string") return undefined;
  return `${name} answered ${status}${typeof summary === "string" ? `: ${summary}` : ""}`.trimStart();
}
