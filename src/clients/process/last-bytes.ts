/** Keeps the end of a stream in a ring buffer. */
export class LastBytes {
  readonly #kept: Buffer;
  #total = 0;

  constructor(bytesMax: number) {
    this.#kept = Buffer.alloc(bytesMax);
  }

  add(chunk: Buffer): void {
    const size = this.#kept.length;
    const part = chunk.subarray(Math.max(0, chunk.length - size));
    this.#total += chunk.length - part.length;
    const copied = part.copy(this.#kept, this.#total % size);
    part.copy(this.#kept, 0, copied);
    this.#total += part.length;
  }

  text(): string {
    const size = this.#kept.length;
    if (this.#total <= size) return this.#kept.toString("utf8", 0, this.#total);
    const at = this.#total % size;
    return Buffer.concat([this.#kept.subarray(at), this.#kept.subarray(0, at)]).toString("utf8");
  }
}
