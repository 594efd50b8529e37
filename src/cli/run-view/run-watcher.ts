import type { AgentEvent } from "../../clients/agent.ts";
import { isTaskState } from "../../core/tasks/states.ts";
import { readJson } from "../../core/text/read-json.ts";
import { field } from "../../core/values/fields.ts";
import { printable } from "../output/table.ts";
import { stateWord } from "../output/words.ts";

/** Whoever shows a person how a run goes. */
export interface RunWatcher {
  onTask(task: string, event: AgentEvent): void;
  /** What is being done besides the agents' work. */
  step(line: string): void;
  /** Something that a person has to know now. */
  tell(line: string): void;
  /** Something that holds from now on. */
  remark(line: string): void;
  /** True while the terminal is lent to another program, whose Ctrl-C it is. */
  readonly isLent: boolean;
}

/** What a person would want to see of an event. */
export function lastThing(event: AgentEvent): string | undefined {
  if (event.type !== "said" && event.type !== "tool") return undefined;
  // The output of an agent that failed comes after the first line; its log has it.
  const text = event.text.startsWith("failed: ") ? (event.text.split("\n")[0] ?? "") : event.text;
  return printable(answerWords(text) ?? (isTaskState(text) ? stateWord(text) : text));
}

/** An agent's answer is for programs; what it says in it is for people. Whoever else looks at a task has a name. */
export function answerWords(text: string): string | undefined {
  const [, name = "", json] = /^\s*(?:([\w.-]+): )?(\{[\s\S]*\})\s*$/.exec(text) ?? [];
  if (json === undefined) return undefined;
  const answer = readJson(json);
  const [status, summary] = ["status", "summary"].map((key) => field(answer, key));
  if (typeof status !== "string") return undefined;
  return `${name} answers ${status}${typeof summary === "string" ? `: ${summary}` : ""}`.trimStart();
}
