import { maskSecrets } from "../core/secrets/mask-secrets.ts";
import { printable } from "../core/text/printable.ts";

const firstMsDefault = 30_000;
const nextMs = 60_000;
const lineLengthMax = 200;
const keptLengthMax = 4096;

export interface SlowTelling {
  /** Such as `setting up: npm ci`. */
  readonly what: string;
  readonly firstMs?: number | undefined;
  tell(line: string): void;
}

/** Reports from time to time how long a slow command has been running, and its last line of output. */
export class SlowTeller implements Disposable {
  readonly #telling: SlowTelling;
  readonly #since = performance.now();
  #timer: NodeJS.Timeout;
  #printed = "";
  #isOver = false;

  constructor(telling: SlowTelling) {
    this.#telling = telling;
    this.#timer = this.#wait(telling.firstMs ?? firstMsDefault);
  }

  heard(chunk: Buffer): void {
    this.#printed = `${this.#printed}${chunk.toString("utf8")}`.slice(-keptLengthMax);
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #wait(ms: number): NodeJS.Timeout {
    return setTimeout(() => void this.#tell(), ms).unref();
  }

  async #tell(): Promise<void> {
    const seconds = Math.round((performance.now() - this.#since) / 1000);
    const lines = (await maskSecrets(this.#printed)).split(/[\r\n]+/).map((line) => printable(line).trim());
    const last = lines.findLast((line) => line !== "")?.slice(0, lineLengthMax);
    if (this.#isOver) return;
    const said = last === undefined ? "no output yet" : `last line: ${last}`;
    this.#telling.tell(`still ${this.#telling.what}, for ${seconds} s; ${said}`);
    this.#timer = this.#wait(nextMs);
  }
}
