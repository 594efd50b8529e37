import type { Inventory, TestOutcome } from "./inventory.ts";

/** A test that passed on the base and no longer passes. */
export interface LostTest {
  readonly test: string;
  readonly now: "fails" | "is skipped" | "is missing";
}

const words = { fail: "fails", skip: "is skipped" } as const;

/** The tests that passed before and do not pass now. */
export function lostTests(before: Inventory, after: Inventory | null): readonly LostTest[] {
  const now = outcomes(after);
  return [...outcomes(before)].flatMap(([test, outcome]): LostTest[] => {
    if (outcome !== "pass") return [];
    const found = now.get(test);
    // A file without tests counts as one test; once it contains tests, those count instead.
    if (found === undefined && !test.includes(" > ") && hasTestsOf(test, now)) return [];
    return found === "pass" ? [] : [{ test, now: found === undefined ? "is missing" : words[found] }];
  });
}

function hasTestsOf(file: string, now: ReadonlyMap<string, TestOutcome>): boolean {
  return [...now].some(([test, outcome]) => outcome === "pass" && test.startsWith(`${file} > `));
}

/** Tests that pass now and did not exist before. */
export function newTests(before: Inventory, after: Inventory | null): readonly string[] {
  const known = outcomes(before);
  return [...outcomes(after)].flatMap(([test, outcome]) =>
    outcome === "pass" && !known.has(test) ? [test] : [],
  );
}

/** True if a test with the same name passes, ignoring numbers, hashes and temporary paths in the name. */
export function hasSimilarPass(test: string, after: Inventory | null): boolean {
  const wanted = withoutChance(test);
  return [...outcomes(after)].some(([one, outcome]) => outcome === "pass" && withoutChance(one) === wanted);
}

function withoutChance(test: string): string {
  return test.replace(/\/tmp\/[^\s\])]+/g, "/tmp/#").replace(/0\.\d+|[0-9a-f]{6,}|\d+/gi, "#");
}

/** Line numbers in names are ignored: they change when lines above are added or removed. */
function outcomes(inventory: Inventory | null): ReadonlyMap<string, TestOutcome> {
  const found = new Map<string, TestOutcome>();
  for (const [id, outcome] of Object.entries(inventory?.tests ?? {})) {
    const name = id.replace(/ \(line \d+\)/, "");
    let unique = name;
    for (let count = 2; found.has(unique); count += 1) unique = `${name} #${count}`;
    found.set(unique, outcome);
  }
  return found;
}

/** The file of a test, taken from its id. */
export function fileOf(test: string): string {
  return /^(.*?)(?: > | - |::|$)/.exec(test)?.[1] ?? test;
}

/** Runners that isolate each test file. */
const isolating = new Set(["node:test", "node-test", "vitest", "jest", "cargo", "cargo test"]);

export function isIsolated({ runners }: Inventory): boolean {
  return runners.every((runner) => isolating.has(runner));
}
