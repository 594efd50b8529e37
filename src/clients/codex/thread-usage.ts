import { readdirSync } from "node:fs";
import { join } from "node:path";
import { field } from "../../core/points/fields.ts";
import type { Usage } from "../agent.ts";
import { AppendedLines, isAbsence } from "../process/appended-lines.ts";
import { jsonLine } from "../process/json-line.ts";

interface Total {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

const none: Total = { input: 0, cached: 0, output: 0 };

/**
 * The client tells what a thread has used only when it ends, and then with all that earlier runs used. Its own record
 * of the thread has the total after every answer of the model.
 */
export class ThreadUsage {
  readonly #sessions: string;
  #thread: string | undefined;
  #record: AppendedLines | undefined;
  #told = none;

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
    const totals = (this.#record?.next() ?? []).flatMap((line) => {
      // The rest of the record is everything that was said and read: it is not even parsed.
      const payload = line.includes('"token_count"') ? field(jsonLine(line), "payload") : undefined;
      const total = field(field(payload, "info"), "total_token_usage");
      return field(payload, "type") === "token_count" && total !== undefined ? [total] : [];
    });
    return totals.flatMap((total) => this.ofTotal(total));
  }

  /** What a total has that was not told yet. */
  ofTotal(usage: unknown): Usage[] {
    const now = totalOf(usage);
    const input = Math.max(0, now.input - this.#told.input);
    const cached = Math.max(0, now.cached - this.#told.cached);
    const output = Math.max(0, now.output - this.#told.output);
    if (input + cached + output === 0) return [];
    this.#told = {
      input: this.#told.input + input,
      cached: this.#told.cached + cached,
      output: this.#told.output + output,
    };
    return [{ type: "usage", tokens: input + output, input, cached, output }];
  }

  #find(): AppendedLines | undefined {
    const isRecord = (name: string) => name.endsWith(`-${this.#thread}.jsonl`);
    const [file] = daysIn(this.#sessions).flatMap((day) => pathsIn(day, isRecord));
    return file === undefined ? undefined : new AppendedLines(file);
  }
}

/** The folders of days in those of months in those of years; deeper, agents could have laid links in circles. */
function daysIn(sessions: string): readonly string[] {
  const isDate = (name: string) => /^\d{2,4}$/.test(name);
  const below = (folders: readonly string[]) => folders.flatMap((folder) => pathsIn(folder, isDate));
  return below(below(below([sessions])));
}

function pathsIn(folder: string, isWanted: (name: string) => boolean): readonly string[] {
  try {
    return readdirSync(folder)
      .filter(isWanted)
      .map((name) => join(folder, name));
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}

/** What was read from the cache is part of its input, thoughts are part of its output. */
function totalOf(usage: unknown): Total {
  const count = (name: string) => {
    const value = field(usage, name);
    return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0;
  };
  const cached = Math.min(count("cached_input_tokens"), count("input_tokens"));
  return { input: count("input_tokens") - cached, cached, output: count("output_tokens") };
}
