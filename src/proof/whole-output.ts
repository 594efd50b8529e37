import { findSecrets } from "../core/secrets/find-secrets.ts";
import { plainOutput } from "../core/text/plain-output.ts";

/** Longer than any secret. This much at the cut is only searched for secrets, because a secret could be cut in two. */
const edgeLength = 64 * 1024;

/** The output of a program; if it is longer than 4 MiB, its beginning and end. */
export class WholeOutput {
  readonly #halfBytesMax: number;
  readonly #beginning: Buffer[] = [];
  readonly #end: Buffer[] = [];
  #beginningBytes = 0;
  #endBytes = 0;
  #bytes = 0;

  constructor(bytesMax = 4 * 1024 * 1024) {
    this.#halfBytesMax = bytesMax / 2;
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const room = this.#halfBytesMax - this.#beginningBytes;
    const first = chunk.subarray(0, room);
    if (first.length > 0) this.#beginning.push(first);
    this.#beginningBytes += first.length;
    const rest = chunk.subarray(first.length);
    if (rest.length > 0) this.#end.push(rest);
    this.#endBytes += rest.length;
    while (this.#endBytes - (this.#end[0]?.length ?? 0) >= this.#halfBytesMax)
      this.#endBytes -= this.#end.shift()?.length ?? 0;
  }

  /** As plain text with secrets masked, also those at the cut. */
  async masked(): Promise<string> {
    const [beginning, end] = [Buffer.concat(this.#beginning), Buffer.concat(this.#end)];
    const missing = this.#bytes - beginning.length - end.length;
    if (missing === 0) return mask(plainOutput(Buffer.concat([beginning, end]).toString()));
    const [first, last] = [plainOutput(beginning.toString()), plainOutput(end.toString())];
    return [
      await mask(first, { to: lineEnd(first, Math.max(0, first.length - edgeLength)) }),
      `\n[… about ${(missing / 1024 / 1024).toFixed(1)} MiB of output left out …]\n`,
      await mask(last, { from: lineEnd(last, edgeLength) }),
    ].join("");
  }
}

/** The end of the line that contains `at`; `at` itself if that line is long. */
function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at) + 1;
  return end > 0 && end - at < edgeLength / 2 ? end : at;
}

/** The text from `from` to `to`, with secrets masked that were found in the whole text. */
async function mask(text: string, { from = 0, to = text.length } = {}): Promise<string> {
  const parts: string[] = [];
  let at = from;
  for (const { rule, start, end } of await findSecrets(text)) {
    if (end <= from || start >= to) continue;
    parts.push(text.slice(at, Math.max(at, start)), `[secret: ${rule}]`);
    at = end;
  }
  parts.push(text.slice(at, Math.max(at, to)));
  return parts.join("");
}
