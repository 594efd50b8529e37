import type { Function as FunctionNode, Word } from "unbash";
import type { Report } from "./report.ts";

/** Positions of the followed commands in the source text. Code that the command itself makes has no position. */
export class SourcePlaces {
  readonly #source: string;
  readonly #report: Report;
  /** Above 0 inside code that the command makes itself: `eval`, `sh -c`, an alias. */
  #made = 0;
  readonly #madeBodies = new WeakSet<object>();

  constructor(source: string, report: Report) {
    this.#source = source;
    this.#report = report;
  }

  /** Follows a command by its name; undefined for code that the shell itself runs. */
  at<Found>(name: Word | undefined, run: () => Found): Found {
    if (this.#made > 0 && name !== undefined) return run();
    const isThere = name !== undefined && this.#source.slice(name.pos, name.end) === name.text;
    return this.#report.within(isThere ? name.pos : undefined, run);
  }

  inMadeCode<Found>(run: () => Found): Found {
    this.#made += 1;
    try {
      return run();
    } finally {
      this.#made -= 1;
    }
  }

  defined({ body }: FunctionNode): void {
    if (this.#made > 0) this.#madeBodies.add(body);
  }

  /** Follows a function call. */
  called<Found>(body: FunctionNode["body"], run: () => Found): Found {
    return this.#madeBodies.has(body) ? this.at(undefined, () => this.inMadeCode(run)) : run();
  }
}
