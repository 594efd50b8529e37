import { existsSync } from "node:fs";
import type { Engine } from "../../../engine/change/engine.ts";
import { readLogFrom, taskLogFile } from "./task-logs.ts";

type Source = Pick<Engine, "machine" | "ledger">;

/** What is new in the log of a task. */
export interface NewLines {
  /** In the order of their times. */
  readonly lines: readonly string[];
  /** Parts of the log that only another machine has. */
  readonly left: readonly LeftPart[];
}

export interface LeftPart {
  readonly machine: string;
  readonly file: string;
  readonly bytes: number;
}

const newline = 0x0a;

/** Reads the log of a task, which one or several machines write. */
export class LogReader {
  readonly #source: Source;
  readonly #task: string;
  readonly #own: string;
  /** By file, how far it was read. */
  readonly #at = new Map<string, number>();

  constructor(source: Source, stateFolder: string, task: string) {
    this.#source = source;
    this.#task = task;
    this.#own = taskLogFile(stateFolder, task);
  }

  /** Undefined if no machine has a log of the task. */
  async read(): Promise<NewLines | undefined> {
    const { machine: here = "", ledger } = this.#source;
    const tails = (await ledger.logs?.ask(this.#task)) ?? [];
    const elsewhere = tails.filter(({ machine, file }) => machine !== here || !existsSync(file));
    const files = new Set(tails.filter((tail) => !elsewhere.includes(tail)).map(({ file }) => file));
    if (existsSync(this.#own)) files.add(this.#own);
    if (files.size + elsewhere.length === 0) return undefined;
    const left: LeftPart[] = [];
    const pieces = [...files].map((file) => {
      const at = this.#at.get(file) ?? 0;
      return this.#take(file, { from: at, bytes: readLogFrom(file, at) });
    });
    for (const { machine, file, from, text } of elsewhere) {
      const place = `${machine}:${file}`;
      const at = this.#at.get(place) ?? 0;
      if (from > at) left.push({ machine, file, bytes: from - at });
      const bytes = Buffer.from(text).subarray(Math.max(0, at - from));
      pieces.push(this.#take(place, { from: Math.max(at, from), bytes }));
    }
    return { lines: inOrder(pieces), left };
  }

  /** The whole lines of a piece. */
  #take(place: string, { from, bytes }: { readonly from: number; readonly bytes: Buffer }) {
    const end = bytes.lastIndexOf(newline) + 1;
    this.#at.set(place, from + end);
    return bytes.toString("utf8", 0, end).split("\n").slice(0, -1);
  }
}

const timed = /^\d{4}-\d\d-\d\dT[\d:.]+Z /;

/** Merges the lines of several files by their times. A line without a time belongs to the one before it. */
function inOrder(pieces: readonly (readonly string[])[]): readonly string[] {
  const [only = [], ...others] = pieces.filter(({ length }) => length > 0);
  if (others.length === 0) return only;
  const entries = [only, ...others].flatMap((lines) => {
    let at = "";
    return lines.map((line) => {
      at = timed.exec(line)?.[0] ?? at;
      return { at, line };
    });
  });
  return entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).map(({ line }) => line);
}
