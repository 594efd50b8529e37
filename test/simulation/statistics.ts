/** The operations that were tried, and their results. */
export class Statistics {
  seeds = 0;
  steps = 0;
  checks = 0;
  readonly operations = new Map<string, Map<string, number>>();
  readonly states = new Map<string, number>();
  readonly events = new Map<string, number>();
  readonly faults = new Map<string, number>();

  answered(name: string, code: string): void {
    const codes = this.operations.get(name) ?? new Map<string, number>();
    this.operations.set(name, codes);
    count(codes, code);
  }

  add(other: Statistics): void {
    this.seeds += other.seeds;
    this.steps += other.steps;
    this.checks += other.checks;
    for (const [name, codes] of other.operations)
      for (const [code, times] of codes) {
        const own = this.operations.get(name) ?? new Map<string, number>();
        this.operations.set(name, own);
        count(own, code, times);
      }
    for (const part of ["states", "events", "faults"] as const)
      for (const [name, times] of other[part]) count(this[part], name, times);
  }

  toString(): string {
    const total = (counts: Map<string, number>) =>
      [...counts.values()].reduce((sum, times) => sum + times, 0);
    const list = (counts: Map<string, number>) =>
      [...counts]
        .sort(([, a], [, b]) => b - a)
        .map(([name, times]) => `${name} ${times}`)
        .join(", ");
    const operations = [...this.operations].sort(([a], [b]) => (a < b ? -1 : 1));
    const sum = operations.reduce((all, [, codes]) => all + total(codes), 0);
    return [
      `${this.seeds} seeds, ${this.steps} steps, ${sum} operations, ${this.checks} checks of all invariants`,
      ...operations.map(([name, codes]) => `  ${name}: ${list(codes)}`),
      `states entered: ${list(this.states)}`,
      `events: ${list(this.events)}`,
      `faults: ${list(this.faults)}`,
    ].join("\n");
  }
}

export function count(counts: Map<string, number>, name: string, times = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + times);
}
