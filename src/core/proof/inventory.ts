/** `skip`: whatever did not count: skipped, to do, ignored, pending, expected to fail. */
export type TestOutcome = "pass" | "fail" | "skip";

/** What the test runners of one check said about their tests. */
export interface Inventory {
  /** The runners that reported, sorted. */
  readonly runners: readonly string[];
  /**
   * By test id, which starts with the file's path from the checkout's root where the runner knows it:
   * `test/a.test.ts > suite > name`. A second test of the same id gets ` #2`. A file that a runner counts as one
   * test, because it defines none, has its path as id.
   */
  readonly tests: Readonly<Record<string, TestOutcome>>;
  /** Why the list is not whole; null if it is. */
  readonly cut: string | null;
  /** Code of the project that its tests loaded from somewhere else: what they say is not about this tree. */
  readonly elsewhere?: string;
}

const testsMax = 200_000;
const idLengthMax = 500;

const outcomes: readonly TestOutcome[] = ["pass", "fail", "skip"];

export function isOutcome(value: unknown): value is TestOutcome {
  return outcomes.includes(value as TestOutcome);
}

/** Collects what runners report, in the order in which they began. */
export class InventoryRecord {
  readonly #runners = new Set<string>();
  readonly #tests = new Map<string, TestOutcome>();
  readonly #seen = new Map<string, number>();
  readonly #cuts = new Set<string>();
  #elsewhere: string | undefined;

  began(runner: string): void {
    this.#runners.add(runner);
  }

  /** The id it is kept under. */
  add(names: readonly string[], outcome: TestOutcome): string {
    const base = idOf(names);
    const count = (this.#seen.get(base) ?? 0) + 1;
    this.#seen.set(base, count);
    const id = count === 1 ? base : `${base} #${count}`;
    if (this.#tests.size < testsMax) this.#tests.set(id, outcome);
    else this.cut(`there are more than ${testsMax} tests`);
    return id;
  }

  replace(id: string, outcome: TestOutcome): void {
    if (this.#tests.has(id)) this.#tests.set(id, outcome);
  }

  loadedElsewhere(name: string, file: string): void {
    this.#elsewhere ??= `\`${name}\` from ${file}`;
  }

  cut(why: string): void {
    this.#cuts.add(why);
  }

  /** Null where no runner reported. */
  inventory(): Inventory | null {
    if (this.#runners.size === 0) return null;
    const cut = this.#cuts.size === 0 ? null : [...this.#cuts].join("; ");
    const elsewhere = this.#elsewhere === undefined ? {} : { elsewhere: this.#elsewhere };
    return { runners: [...this.#runners].sort(), tests: asRecord(this.#tests), cut, ...elsewhere };
  }
}

/** Without a prototype: tests have names such as `constructor`. */
function asRecord(tests: Iterable<readonly [string, TestOutcome]>): Record<string, TestOutcome> {
  const record: Record<string, TestOutcome> = Object.create(null);
  for (const [id, outcome] of tests) record[id] = outcome;
  return record;
}

function idOf(names: readonly string[]): string {
  const id = names
    .map((name) => name.replace(/\s+/g, " ").trim())
    .filter((name) => name !== "")
    .join(" > ");
  return id.length <= idLengthMax ? id : `${id.slice(0, idLengthMax - 16).toWellFormed()}…${shortHash(id)}`;
}

/** Tells long ids with the same beginning apart. */
function shortHash(text: string): string {
  let [one, other] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    one = Math.imul(one ^ text.charCodeAt(at), 2654435761);
    other = Math.imul(other ^ text.charCodeAt(at), 1597334677);
  }
  return (one >>> 0).toString(36) + (other >>> 0).toString(36);
}

/** As text, to be stored. */
export function packInventory({ runners, tests, cut }: Inventory): string {
  const of = (outcome: TestOutcome) => Object.keys(tests).filter((id) => tests[id] === outcome);
  return JSON.stringify([runners, cut, ...outcomes.map(of)]);
}

/** Null for a text that is none. */
export function unpackInventory(text: string): Inventory | null {
  try {
    const [runners, cut, ...lists] = JSON.parse(text) as [string[], string | null, ...string[][]];
    const tests = outcomes.flatMap((outcome, at) =>
      (lists[at] as string[]).map((id) => [id, outcome] as const),
    );
    return Array.isArray(runners) ? { runners, cut: cut ?? null, tests: asRecord(tests) } : null;
  } catch {
    return null;
  }
}
