import { errorFingerprint } from "../reports/error-fingerprint.ts";

const stepsMax = 10;
const sameCallsWarn = 3;
/** A repeated output that is shorter says too little: `ok`, nothing, a file that was updated. */
const outputLengthMin = 200;

/**
 * What an agent does again, seen in its last ten steps. Only what brings nothing new counts: between two runs of
 * the same tests lies an edit, which is a call that was not there before, or another output.
 */
export class Repetition {
  readonly #calls: string[] = [];
  readonly #outputs: string[] = [];
  /** How often each call came since something was new, the new one included. */
  #counts = new Map<string, number>();
  #last = "";
  #lastOutput: string | undefined;

  /** How often this call was made with nothing new in between, and for how many steps nothing was new. */
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

  /** The fingerprint of an output that says something and was given twice in a row. */
  answered(text: string): string | undefined {
    const fingerprint = errorFingerprint("output", text);
    const again = this.#lastOutput === fingerprint;
    this.#lastOutput = fingerprint;
    if (!this.#outputs.includes(fingerprint))
      this.#counts = new Map(this.#last === "" ? [] : [[this.#last, 1]]);
    push(this.#outputs, fingerprint);
    return again && text.trim().length >= outputLengthMin ? fingerprint : undefined;
  }

  /** Something was done of which nobody knows whether it is the same again: then it is not. */
  renew(): undefined {
    this.#counts.clear();
    this.#last = "";
  }

  /** Whatever comes out of a tool now comes from something else. */
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
