import { join } from "node:path";
import { field } from "../../core/values/fields.ts";
import type { Usage } from "../agent.ts";
import { AppendedLines } from "../process/appended-lines.ts";
import { jsonLine } from "../process/json-line.ts";
import { pathsIn } from "../process/paths-in.ts";
import { type Counts, ToldUsage, tokensIn } from "../process/told-usage.ts";

/**
 * The client tells what a thread has used only when it ends, and then with all that earlier runs used. Its own record
 * of the thread has the total after every answer of the model.
 */
export class ThreadUsage {
  readonly #sessions: string;
  readonly #told = new ToldUsage();
  #thread: string | undefined;
  #record: AppendedLines | undefined;

  /** `resumed`: the thread that has a past. */
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

  /** What the record has that was not told yet. */
  recorded(): Usage[] {
    this.#record ??= this.#find();
    return (this.#record?.next() ?? []).flatMap((line) => this.ofTotal(totalIn(line, this.#thread)));
  }

  /** What a total has that was not told yet. */
  ofTotal(usage: unknown): Usage[] {
    return this.#told.ofTotal(totalOf(usage));
  }

  #find(): AppendedLines | undefined {
    const isRecord = (name: string) => name.endsWith(`-${this.#thread}.jsonl`);
    const [file] = daysIn(this.#sessions).flatMap((day) => pathsIn(day, isRecord));
    return file === undefined ? undefined : new AppendedLines(file);
  }
}

/** Of a record of usage, before an answer's tools run; of a count, which older versions have alone, after them. */
function totalIn(line: string, thread: string | undefined): unknown {
  // The rest of the record is everything that was said and read: it is not even parsed.
  if (!line.includes('"token_')) return undefined;
  const document = jsonLine(line);
  const payload = field(document, "payload");
  if (field(payload, "type") === "token_count") return field(field(payload, "info"), "total_token_usage");
  const isOwn = field(document, "type") === "token_usage_record" && field(payload, "thread_id") === thread;
  return isOwn ? field(payload, "thread_token_usage") : undefined;
}

/** The folders of days in those of months in those of years; deeper, agents could have laid links in circles. */
function daysIn(sessions: string): readonly string[] {
  const isDate = (name: string) => /^\d{2,4}$/.test(name);
  const below = (folders: readonly string[]) => folders.flatMap((folder) => pathsIn(folder, isDate));
  return below(below(below([sessions])));
}

/** What was read from the cache is part of its input, thoughts are part of its output. */
function totalOf(usage: unknown): Counts {
  const input = tokensIn(usage, "input_tokens");
  const cached = Math.min(tokensIn(usage, "cached_input_tokens"), input);
  return { input: input - cached, cached, output: tokensIn(usage, "output_tokens") };
}
