import { join } from "node:path";
import { field, isText } from "../../core/values/fields.ts";
import type { Usage } from "../agent.ts";
import { AppendedLines } from "../process/appended-lines.ts";
import { jsonLine } from "../process/json-line.ts";
import { pathsIn } from "../process/paths-in.ts";
import { type Counts, ToldUsage, tokensIn } from "../process/told-usage.ts";

/**
 * The client tells what a run has used only when it ends. Its own record of the conversation has what each answer of
 * the model used, as soon as it is there.
 */
export class ChatUsage {
  readonly #projects: string;
  readonly #told = new ToldUsage();
  /** Answers that were counted: the record has one again with what its tools gave, and all of them when it is resumed. */
  readonly #answers = new Set<string>();
  /** A conversation that is resumed has several. */
  readonly #records = new Map<string, AppendedLines>();
  #session: string | undefined;
  #folder: string | undefined;
  #isOver = false;

  /** `resumed`: the conversation that has a past. */
  constructor(home: string, resumed?: string) {
    this.#projects = join(home, "tmp");
    if (resumed === undefined) return;
    this.follow(resumed);
    this.#newAnswers();
  }

  follow(session: string): void {
    this.#session = session;
  }

  /** What the record has that was not told yet. */
  recorded(): Usage[] {
    return this.#isOver ? [] : this.#newAnswers().flatMap((counts) => this.#told.add(counts));
  }

  /** What the total at the end has that was not told yet, such as questions of the client's own. */
  ofTotal(stats: unknown): Usage[] {
    this.#isOver = true; // the last answer may come into the record only after this
    return this.#told.ofTotal(countsOf(stats, { input: "input_tokens", total: "total_tokens" }));
  }

  #newAnswers(): Counts[] {
    return this.#find().flatMap((record) => record.next().flatMap((line) => this.#read(line)));
  }

  #read(line: string): Counts[] {
    // The rest of the record is everything that was said and read: it is not even parsed.
    const document = line.includes('"tokens"') ? jsonLine(line) : undefined;
    const all = field(field(document, "$set"), "messages");
    return (Array.isArray(all) ? all : [document]).flatMap((message) => {
      const [id, tokens] = [field(message, "id"), field(message, "tokens")];
      if (!isText(id) || tokens === undefined || this.#answers.has(id)) return [];
      this.#answers.add(id);
      return [countsOf(tokens, { input: "input", total: "total" })];
    });
  }

  #find(): readonly AppendedLines[] {
    const mark = this.#session?.slice(0, 8);
    if (mark === undefined) return [];
    const isRecord = (name: string) => name.startsWith("session-") && name.endsWith(`-${mark}.jsonl`);
    const folders = this.#folder === undefined ? pathsIn(this.#projects, () => true) : [this.#folder];
    for (const folder of folders)
      for (const file of pathsIn(join(folder, "chats"), isRecord)) {
        this.#folder = folder;
        if (!this.#records.has(file)) this.#records.set(file, new AppendedLines(file));
      }
    return [...this.#records.values()];
  }
}

/** What was read from the cache is part of its input; thoughts are in the total only. */
function countsOf(tokens: unknown, names: { readonly input: string; readonly total: string }): Counts {
  const input = tokensIn(tokens, names.input);
  const cached = Math.min(tokensIn(tokens, "cached"), input);
  return { input: input - cached, cached, output: Math.max(0, tokensIn(tokens, names.total) - input) };
}
