/** `skip`: skipped, to do, ignored, pending or expected to fail. */
export type TestOutcome = "pass" | "fail" | "skip";

/** The tests that the runners of one check reported. */
export interface Inventory {
  /** The runners that reported, sorted. */
  readonly runners: readonly string[];
  /**
   * By test id, which starts with the file's path relative to the checkout's root if the runner knows it:
   * `test/a.test.ts > suite > name`. A second test with the same id gets ` #2`. A file without tests, which a runner
   * counts as one test, has its path as id.
   */
  readonly tests: Readonly<Record<string, TestOutcome>>;
  /** Why the list is incomplete; null if it is complete. */
  readonly cut: string | null;
  /** Project code that the tests loaded from outside the tree: their results are not about this tree. */
  readonly elsewhere?: string;
}

/** How many tests a check ran, and how many it skipped. */
export interface TestCount {
  readonly ran: number;
  readonly skipped: number;
}

/** Undefined if the list is missing or incomplete. */
export function countTests(inventory: Inventory | null): TestCount | undefined {
  if (inventory === null || inventory.cut !== null) return undefined;
  const all = Object.values(inventory.tests);
  const skipped = all.filter((outcome) => outcome === "skip").length;
  return { ran: all.length - skipped, skipped };
}

const testsMax = 200_000;
const idLengthMax = 500;

const outcomes: readonly TestOutcome[] = ["pass", "fail", "skip"];

export function isOutcome(value: unknown): value is TestOutcome {
  return outcomes.includes(value as TestOutcome);
}

/** Collects the reports of runners, in the order in which they began. */
export class InventoryRecord {
  readonly #runners = new Set<string>();
  readonly #tests = new Map<string, TestOutcome>();
  readonly #seen = new Map<string, number>();
  readonly #cuts = new Set<string>();
  #elsewhere: string | undefined;

  began(runner: string): void {
    this.#runners.add(runner);
  }

  /** Returns the id of the test. */
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

  /** Null if no runner reported. */
  inventory(): Inventory | null {
    if (this.#runners.size === 0) return null;
    const cut = this.#cuts.size === 0 ? null : [...this.#cuts].join("; ");
    const elsewhere = this.#elsewhere === undefined ? {} : { elsewhere: this.#elsewhere };
    return { runners: [...this.#runners].sort(), tests: asRecord(this.#tests), cut, ...elsewhere };
  }
}

/** Without a prototype, because tests may have names such as `constructor`. */
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

/** Distinguishes long ids with the same beginning. */
function shortHash(text: string): string {
  let [one, other] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    one = Math.imul(one ^ text.charCodeAt(at), 2654435761);
    other = Math.imul(other ^ text.charCodeAt(at), 1597334677);
  }
  return (one >>> 0).toString(36) + (other >>> 0).toString(36);
}

/** Serialises an inventory for storage. */
export function packInventory({ runners, tests, cut }: Inventory): string {
  const of = (outcome: TestOutcome) => Object.keys(tests).filter((id) => tests[id] === outcome);
  return JSON.stringify([runners, cut, ...outcomes.map(of)]);
}

/** Null if the text is not an inventory. */
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
