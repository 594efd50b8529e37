import { join } from "node:path";
import { field } from "../../core/values/fields.ts";
import type { Usage } from "../agent.ts";
import { AppendedLines } from "../process/appended-lines.ts";
import { jsonLine } from "../process/json-line.ts";
import { pathsIn } from "../process/paths-in.ts";
import { type Counts, ReportedUsage, tokensIn } from "../process/reported-usage.ts";

/**
 * The usage of a thread. Codex reports it only at the end, and then as a total of all runs. Its own record of the thread
 * has the total after every answer of the model.
 */
export class ThreadUsage {
  readonly #sessions: string;
  readonly #reported = new ReportedUsage();
  #thread: string | undefined;
  #record: AppendedLines | undefined;

  /** `resumed`: the thread that is continued; its earlier usage is not counted. */
  constructor(home: string, resumed?: string) {
    this.#sessions = join(home, "sessions");
    if (resumed === undefined) return;
    this.follow(resumed);
    this.recorded();
  }

  follow(thread: string): void {
    if (thread === this.#thread) return;
    this.#thread = thread;
    this.#record = undefined;
  }

  /** The usage in the record that was not reported yet. */
  recorded(): Usage[] {
    this.#record ??= this.#find();
    return (this.#record?.next() ?? []).flatMap((line) => this.ofTotal(totalIn(line, this.#thread)));
  }

  /** The part of a total that was not reported yet. */
  ofTotal(usage: unknown): Usage[] {
    return this.#reported.ofTotal(totalOf(usage));
  }

  #find(): AppendedLines | undefined {
    const isRecord = (name: string) => name.endsWith(`-${this.#thread}.jsonl`);
    const [file] = daysIn(this.#sessions).flatMap((day) => pathsIn(day, isRecord));
    return file === undefined ? undefined : new AppendedLines(file);
  }
}

/** The total in a usage record (before an answer's tools run) or in a count (after them; older versions have only these). */
function totalIn(line: string, thread: string | undefined): unknown {
  // Other lines are the conversation itself, and are not parsed.
  if (!line.includes('"token_')) return undefined;
  const document = jsonLine(line);
  const payload = field(document, "payload");
  if (field(payload, "type") === "token_count") return field(field(payload, "info"), "total_token_usage");
  const isOwn = field(document, "type") === "token_usage_record" && field(payload, "thread_id") === thread;
  return isOwn ? field(payload, "thread_token_usage") : undefined;
}

/** The folders YEAR/MONTH/DAY. Nothing deeper is searched, because agents could create link cycles. */
function daysIn(sessions: string): readonly string[] {
  const isDate = (name: string) => /^\d{2,4}$/.test(name);
  const below = (folders: readonly string[]) => folders.flatMap((folder) => pathsIn(folder, isDate));
  return below(below(below([sessions])));
}

/** The client's input tokens include cached ones; its output tokens include reasoning. */
function totalOf(usage: unknown): Counts {
  const input = tokensIn(usage, "input_tokens");
  const cached = Math.min(tokensIn(usage, "cached_input_tokens"), input);
  return { input: input - cached, cached, output: tokensIn(usage, "output_tokens") };
}
