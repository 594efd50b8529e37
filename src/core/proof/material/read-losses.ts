import { isTestPath, kindOf } from "./kinds.ts";
import { assertions, count, skips, withoutComments } from "./test-text.ts";
import { type ChangedText, statusOf } from "./weakenings.ts";

/** True for a module that contains assertions itself, as test helpers do. */
export function assertsSomething(path: string, text: string): boolean {
  if (path.endsWith(".rs")) return false; // product code asserts there too
  const library =
    /["'](?:node:)?(?:assert|test)(?:\/strict)?["']|["'](?:chai|expect|vitest|@jest\/globals|sinon)["']|^\s*(?:import|from)\s+(?:unittest|pytest)\b|^\s*"testing"$|\bimport "testing"|\bdef pytest_\w+/m;
  return library.test(text) || count(assertions, withoutComments(path, text)) > 0;
}

/** What test files no longer verify, judged by their texts. Summed over all files, so that tests may move. */
export interface ReadLosses {
  readonly assertions: number;
  /** The number of removed test definitions. */
  readonly tests: number;
  readonly skipped: number;
  /** Tests that cannot fail: they end before they call anything, or swallow errors. */
  readonly hollow: number;
  /** Assertions that lost their last arguments, or were removed without a replacement. */
  readonly shortened: number;
  /** Test files that were deleted, not only renamed. */
  readonly deleted: readonly string[];
  /** Test files that lost more than half of their lines. */
  readonly emptied: readonly string[];
}

const definitions =
  /\b(?:it|test|specify|scenario)(?:\.\w+)*\s*\(\s*["'`]|^\s*(?:async\s+)?def\s+test\w*|TestCase\s*\)|^func\s+(?:Test|Example|Fuzz)\w*\s*\(|#\[(?:\w+::)*test\b|@Test\b/gm;

export function readLosses(changed: readonly ChangedText[]): ReadLosses {
  const tests = changed.filter(({ path }) => isTestPath(path));
  const texts = (side: "before" | "after") => tests.map((one) => withoutComments(one.path, one[side]) ?? "");
  const lost = (count: (text: string) => number) =>
    Math.max(0, sum(texts("before").map(count)) - sum(texts("after").map(count)));
  const gained = (count: (text: string) => number) =>
    Math.max(0, sum(texts("after").map(count)) - sum(texts("before").map(count)));
  const isNew = (one: ChangedText) => statusOf(one) === "added" && kindOf(one.path) === "test";
  const added = new Set(tests.flatMap((one) => (isNew(one) ? [one.after] : [])));
  // A new skipped test is not a loss, unless existing tests could have moved into it.
  const isTouched = tests.some((one) => statusOf(one) !== "added");
  return {
    assertions: lost((text) => count(assertions, text)),
    tests: lost((text) => count(definitions, text)),
    skipped: isTouched ? gained((text) => count(skips, text)) : 0,
    hollow: isTouched ? gained(hollowTests) : 0,
    shortened: shortenedAssertions(tests),
    deleted: tests
      .filter((one) => statusOf(one) === "deleted" && kindOf(one.path) === "test" && !added.has(one.before))
      .map(({ path }) => path),
    emptied: tests.filter((one) => kindOf(one.path) === "test" && isEmptied(one)).map(({ path }) => path),
  };
}

function isEmptied({ path, before, after }: ChangedText): boolean {
  if (before === undefined || after === undefined) return false;
  const lines = (text: string) =>
    linesIn(withoutComments(path, text) ?? "").filter((line) => /\w/.test(line)).length;
  return lines(after) < lines(before) / 2;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

const emptyTests =
  /\b(?:it|test|specify)(?:\.\w+)*\s*\(\s*(["'`])(?:(?!\1).)*\1\s*,\s*(?:async\s*)?(?:function\s*\w*\s*)?(?:\(\s*\w*\s*\)|\w+)?\s*(?:=>)?\s*\{\s*(?:\}|return\b)|^\s*(?:async\s+)?def\s+test\w*\s*\([^)]*\)[^:\n]*:\s*(?:(?:"""[\s\S]*?"""|'[^'\n]*'|"[^"\n]*")\s*)?(?:pass|\.\.\.|return)\b|^func\s+Test\w*\s*\([^)]*\)\s*\{\s*(?:\}|return\b)|#\[(?:\w+::)*test\b[^\]]*\][^{;]*\{\s*(?:\}|return\b)/gm;

const swallowed = /\bcatch\s*(?:\([^)]*\))?\s*\{\s*\}|^\s*except\b[^:\n]*:\s*(?:pass|\.\.\.)\s*$/gm;
const compared =
  /\b(?:equal|strictEqual|deepEqual|deepStrictEqual|assertEqual|assertEquals|assert_eq!)\s*\(\s*([^,()]+(?:\([^()]*\))?)\s*,\s*\1\s*\)/g;

/** Counts tests that end before they call anything, swallow errors, or compare a value with itself. */
function hollowTests(text: string): number {
  return count(emptyTests, text) + count(swallowed, text) + count(compared, text);
}

/** Counts assertions that were shortened, or removed without adding anything; over all files, as tests may move. */
function shortenedAssertions(tests: readonly ChangedText[]): number {
  const texts = (side: "before" | "after") => tests.map((one) => withoutComments(one.path, one[side]) ?? "");
  const [old, now] = [texts("before"), texts("after")];
  const [had, has] = [old.flatMap(callsIn), now.flatMap(callsIn)];
  const gone = without(had, has);
  const shortened = without(has, had).filter((call) => gone.some((one) => isWeaker(call, one)));
  const adds = without(now.flatMap(linesIn), old.flatMap(linesIn)).some((line) => /\w/.test(line));
  const isEdited = tests.some((one) => statusOf(one) === "modified");
  return adds || !isEdited ? shortened.length : Math.max(shortened.length, gone.length);
}

function linesIn(text: string): readonly string[] {
  return text.split("\n").map((line) => line.trim());
}

function without(list: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const one of others) left.set(one, (left.get(one) ?? 0) + 1);
  return list.filter((one) => {
    const many = left.get(one) ?? 0;
    left.set(one, many - 1);
    return many <= 0;
  });
}

const weakForms =
  /^(?:assert(?:\.ok|\.isOk|\.exists)?|assert!|self\.assert(?:True|IsNotNone|IsNot)|should\.exist|assert)\s*[( ]|\)\.(?:not\.)?(?:toBeTruthy|toBeDefined|toBeUndefined|toBeNull|toBeFalsy|toBeInstanceOf|be\.ok|exist|to\.exist|to\.be\.ok|toHaveProperty|toThrow)\b(?:\(\))?$/;

/** True if an assertion is weaker than the one it replaces: it lacks the last arguments, or only checks for existence. */
function isWeaker(now: string, before: string): boolean {
  const head = now.replace(/,?\s*\)$/, "");
  const dropped = before.startsWith(`${head},`) ? before.slice(head.length + 1).trim() : "";
  // A string as last argument is the failure message.
  if (dropped !== "" && !/^(["'`])(?:(?!\1).)*\1\s*\)$/.test(dropped)) return true;
  if (now !== before && before.startsWith(`${now} `)) return true;
  const subject = subjectOf(now);
  return (
    subject !== "" &&
    subject === subjectOf(before) &&
    weakForms.test(now) &&
    (!weakForms.test(before) || /\s(?:==|is|in|!=|<|>)\s/.test(before)) &&
    !/\s(?:===?|!==?|is|in|<=?|>=?)\s/.test(now)
  );
}

/** The subject of an assertion: its first argument, or the left side of the comparison. */
function subjectOf(call: string): string {
  const [, inside = ""] = /^[\w.]+!?\s*[( ](.*?)\)?(?:\)\.[\s\S]*)?$/.exec(call) ?? [];
  let depth = 0;
  for (let at = 0; at < inside.length; at += 1) {
    const sign = inside[at] ?? "";
    if ("([{".includes(sign)) depth += 1;
    if (")]}".includes(sign)) depth -= 1;
    if (depth < 0) return inside.slice(0, at).trim();
    if (depth === 0 && (sign === "," || /^\s(?:===?|!==?|is|in|<=?|>=?)\s/.test(inside.slice(at))))
      return inside.slice(0, at).trim();
  }
  return inside.trim();
}

/** Assertions with their arguments and chained calls, one line each. */
function callsIn(text: string): readonly string[] {
  return [...text.matchAll(assertions)].map((match) => {
    const start = match.index;
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end < 0 ? undefined : end);
    const open = text.indexOf("(", start);
    if (!match[0].includes("(") || open < 0) return plain(line.replace(/\s*[;#].*$/, ""));
    let at = closing(text, open);
    for (let chain = chained.exec(text.slice(at)); chain !== null; chain = chained.exec(text.slice(at)))
      at = chain[0].endsWith("(") ? closing(text, at + chain[0].length - 1) : at + chain[0].length;
    return plain(text.slice(start, at));
  });
}

const chained = /^\s*\.\w+\s*\(?/;
const callLengthMax = 2000;

/** The position after the matching closing bracket. */
function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < Math.min(text.length, open + callLengthMax); at += 1) {
    if (text[at] === "(") depth += 1;
    if (text[at] === ")") depth -= 1;
    if (depth === 0) return at + 1;
  }
  return Math.min(text.length, open + callLengthMax);
}

function plain(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/,? \)$/, ")")
    .trim();
}
