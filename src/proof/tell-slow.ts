import { maskSecrets } from "../core/secrets/mask-secrets.ts";
import { fitted } from "../core/text/display-width.ts";
import { printable } from "../core/text/printable.ts";

const firstMsDefault = 30_000;
const nextMsDefault = 60_000;
const lineLengthMax = 200;
/** Progress puts a dot before the line. */
const markWidth = 2;
const keptLengthMax = 4096;

export interface SlowTelling {
  /** Such as `setting up: npm ci`. */
  readonly what: string;
  readonly firstMs?: number | undefined;
  /** After the first time, and how long a command may be silent before a line says so. */
  readonly nextMs?: number;
  /** What may help if it prints nothing new. */
  readonly hint?: string;
  tell(line: string): void;
}

/** Reports from time to time how long a slow command has been running, and its last line of output. */
export class SlowTeller implements Disposable {
  readonly #telling: SlowTelling;
  readonly #since = performance.now();
  #timer: NodeJS.Timeout;
  #printed = "";
  #heardAt = performance.now();
  #isOver = false;

  constructor(telling: SlowTelling) {
    this.#telling = telling;
    this.#timer = this.#wait(telling.firstMs ?? firstMsDefault);
  }

  heard(chunk: Buffer): void {
    this.#printed = `${this.#printed}${chunk.toString("utf8")}`.slice(-keptLengthMax);
    this.#heardAt = performance.now();
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
    const last = lines.findLast((line) => line !== "");
    if (this.#isOver) return;
    const { what, nextMs = nextMsDefault, hint } = this.#telling;
    const still = `still ${what}, for ${seconds} s; `;
    const silentMs = performance.now() - this.#heardAt;
    if (silentMs >= nextMs) {
      const silent =
        last === undefined ? "no output yet" : `nothing new for ${Math.round(silentMs / 1000)} s`;
      this.#telling.tell(`${still}${silent}${hint === undefined ? "" : `: ${hint}`}`);
    } else {
      const columns = process.stderr.columns ?? lineLengthMax;
      this.#telling.tell(
        last === undefined
          ? `${still}no output yet`
          : fitted(`${still}last line: ${last}`, columns - markWidth),
      );
    }
    this.#timer = this.#wait(nextMs);
  }
}
