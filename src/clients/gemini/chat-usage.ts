import { join } from "node:path";
import { field, isText } from "../../core/values/fields.ts";
import type { Usage } from "../agent.ts";
import { AppendedLines } from "../process/appended-lines.ts";
import { jsonLine } from "../process/json-line.ts";
import { pathsIn } from "../process/paths-in.ts";
import { type Counts, ReportedUsage, tokensIn } from "../process/reported-usage.ts";

/**
 * The usage of a conversation. Gemini reports it only at the end of a run. Its own record of the conversation has the
 * usage of each answer of the model as soon as the answer is there.
 */
export class ChatUsage {
  readonly #projects: string;
  readonly #reported = new ReportedUsage();
  /** The counted answers. The record repeats an answer with its tool results, and all answers after a resume. */
  readonly #answers = new Set<string>();
  /** A resumed conversation has several records. */
  readonly #records = new Map<string, AppendedLines>();
  #session: string | undefined;
  #folder: string | undefined;
  #isOver = false;

  /** `resumed`: the conversation that is continued; its earlier usage is not counted. */
  constructor(home: string, resumed?: string) {
    this.#projects = join(home, "tmp");
    if (resumed === undefined) return;
    this.follow(resumed);
    this.#newAnswers();
  }

  follow(session: string): void {
    this.#session = session;
  }

  /** The usage in the record that was not reported yet. */
  recorded(): Usage[] {
    return this.#isOver ? [] : this.#newAnswers().flatMap((counts) => this.#reported.add(counts));
  }

  /** The part of the final total that was not reported yet, such as the client's own questions. */
  ofTotal(stats: unknown): Usage[] {
    this.#isOver = true; // the last answer may be recorded only after this
    return this.#reported.ofTotal(countsOf(stats, { input: "input_tokens", total: "total_tokens" }));
  }

  #newAnswers(): Counts[] {
    return this.#find().flatMap((record) => record.next().flatMap((line) => this.#read(line)));
  }

  #read(line: string): Counts[] {
    // Other lines are the conversation itself, and are not parsed.
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

/** The client's input tokens include cached ones; reasoning is only in the total. */
function countsOf(tokens: unknown, names: { readonly input: string; readonly total: string }): Counts {
  const input = tokensIn(tokens, names.input);
  const cached = Math.min(tokensIn(tokens, "cached"), input);
  return { input: input - cached, cached, output: Math.max(0, tokensIn(tokens, names.total) - input) };
}
