/** The values that were used last, by id, up to a total size. A value larger than that is not kept. */
export class RecentValues<Value> {
  readonly #sizeMax: number;
  readonly #sizeOf: (value: Value) => number;
  readonly #values = new Map<string, Value>();
  #size = 0;

  constructor(sizeMax: number, sizeOf: (value: Value) => number) {
    this.#sizeMax = sizeMax;
    this.#sizeOf = sizeOf;
  }

  get(id: string): Value | undefined {
    const value = this.#values.get(id);
    if (value !== undefined) this.#renew(id, value);
    return value;
  }

  keep(id: string, value: Value): void {
    const before = this.#values.get(id);
    if (before !== undefined) this.#size -= this.#sizeOf(before);
    this.#size += this.#sizeOf(value);
    this.#renew(id, value);
    for (const [oldest, old] of this.#values) {
      if (this.#size <= this.#sizeMax) return;
      this.#values.delete(oldest);
      this.#size -= this.#sizeOf(old);
    }
  }

  #renew(id: string, value: Value): void {
    this.#values.delete(id);
    this.#values.set(id, value);
  }
}
