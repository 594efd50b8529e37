import { errorFingerprint } from "../reports/error-fingerprint.ts";

const stepsMax = 10;
const sameCallsWarn = 3;
/** Shorter outputs, such as `ok` or an empty text, repeat without meaning a loop. */
const outputLengthMin = 200;

/**
 * Detects repeated calls and outputs in an agent's last ten steps. A repetition counts only if nothing new happened
 * in between: between two runs of the same tests there is an edit (a new call) or a different output.
 */
export class Repetition {
  readonly #calls: string[] = [];
  readonly #outputs: string[] = [];
  /** Number of times each call was made since the last new call or output, including that one. */
  #counts = new Map<string, number>();
  #last = "";
  #lastOutput: string | undefined;

  /** How many times this call was made with nothing new in between, and for how many steps nothing was new. */
  called(fingerprint: string): { readonly times: number; readonly staleSteps: number } {
    const isNew = !this.#calls.includes(fingerprint);
    if (isNew) this.#counts.clear();
    this.#counts.set(fingerprint, (this.#counts.get(fingerprint) ?? 0) + 1);
    this.#last = fingerprint;
    push(this.#calls, fingerprint);
    const steps = [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
    const times = this.#calls.slice(-steps).filter((call) => call === fingerprint).length;
    return { times, staleSteps: steps - 1 };
  }

  /** The fingerprint of the output, if it is long enough and was given twice in a row. */
  answered(text: string): string | undefined {
    const fingerprint = errorFingerprint("output", text);
    const again = this.#lastOutput === fingerprint;
    this.#lastOutput = fingerprint;
    if (!this.#outputs.includes(fingerprint))
      this.#counts = new Map(this.#last === "" ? [] : [[this.#last, 1]]);
    push(this.#outputs, fingerprint);
    return again && text.trim().length >= outputLengthMin ? fingerprint : undefined;
  }

  /** Resets the counts after a call without a fingerprint: it counts as new. */
  renew(): undefined {
    this.#counts.clear();
    this.#last = "";
  }

  /** After an edit, an equal output is not a repetition. */
  edited(): void {
    this.#lastOutput = undefined;
  }

  static readonly warnTimes = sameCallsWarn;
  static readonly haltSteps = stepsMax;
}

function push(list: string[], item: string): void {
  list.push(item);
  if (list.length > stepsMax) list.shift();
}
