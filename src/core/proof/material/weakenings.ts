import { isTestPath, kindOf } from "./kinds.ts";
import { sectionChanges } from "./manifest-sections.ts";
import { packageChanges, redirectedRunners } from "./package-manifest.ts";
import { testItemsIn } from "./test-items.ts";

/** A change to what the project's tests check, in words. */
export interface Weakened {
  readonly path: string;
  readonly what: string;
}

export interface ChangedText {
  readonly path: string;
  /** Undefined where the file did not exist, or cannot be read as text. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Where it is not the same as whether there is a text: links, binary and huge files. */
  readonly status?: "added" | "modified" | "deleted";
}

export function statusOf({ before, after, status }: ChangedText): "added" | "modified" | "deleted" {
  return status ?? (before === undefined ? "added" : after === undefined ? "deleted" : "modified");
}

const skips =
  /\b(?:it|test|describe|context|suite|bench)(?:\.\w+)*\.(?:skip|todo|only|fails|skipIf|runIf|failing)\b|["']node:test["']\)\.(?:skip|todo|only)\b|\b(?:xit|xdescribe|xtest|xcontext|xspecify|fit|fdescribe|pending)\s*\(|\{\s*(?:skip|todo)\s*:\s*(?!false)|\bthis\.skip\s*\(|\bt\.(?:skip|todo)\s*\(|\bpytest\.(?:mark\.)?(?:skip|xfail|importorskip)|\b(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure)\b|\bskipTest\s*\(|\b[tb]\.(?:Skip|SkipNow|Skipf)\(|\btesting\.Short\(\)|#\[ignore\b|#\[cfg_attr\([^\]]*ignore|@(?:Disabled|Ignore)\b|\/\/go:build\s+(?:ignore|never|false)/g;

const assertions =
  /\b(?:assert|expect|should|verify)\w*(?:\.\w+)*!?\s*\(|\brequire\.[A-Z]\w*\(|\bassert\s+[^\s=]|\.should\b|\bt\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow|equal|is|true|false|deepEqual|same|ok|not|throws|rejects)\s*\(|\bself\.(?:assert|fail)\w*\s*\(|\bpytest\.raises\b|\bassert\w*!/g;

/** True for a module that checks something by itself, as helpers of tests do. */
export function assertsSomething(path: string, text: string): boolean {
  if (path.endsWith(".rs")) return false; // products assert there too
  const library =
    /["'](?:node:)?(?:assert|test)(?:\/strict)?["']|["'](?:chai|expect|vitest|@jest\/globals|sinon)["']|^\s*(?:import|from)\s+(?:unittest|pytest)\b|^\s*"testing"$|\bimport "testing"|\bdef pytest_\w+/m;
  return library.test(text) || count(assertions, withoutComments(path, text)) > 0;
}

/** What test files verify less than before, as far as their texts tell; all files together, so that tests may move. */
export interface ReadLosses {
  readonly assertions: number;
  /** Fewer tests are defined. */
  readonly tests: number;
  readonly skipped: number;
  /** Tests that cannot fail: they end before they call anything, or hide what fails. */
  readonly hollow: number;
  /** Assertions that lost their last arguments, or went without anything in their place. */
  readonly shortened: number;
  /** Test files that are gone, and not only renamed. */
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
  // A new test that is skipped takes nothing away, unless others could have moved into it.
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

/** Tests that end before they call anything, swallow what fails, or compare something with itself. */
function hollowTests(text: string): number {
  return count(emptyTests, text) + count(swallowed, text) + count(compared, text);
}

/** Assertions that the change cut short, or took out without adding anything; all files together, as tests may move. */
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

/** True if an assertion says less than one that it replaces: without the last arguments, or only that there is something. */
function isWeaker(now: string, before: string): boolean {
  const head = now.replace(/,?\s*\)$/, "");
  const dropped = before.startsWith(`${head},`) ? before.slice(head.length + 1).trim() : "";
  // A last text is the message of a failure.
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

/** What an assertion is about: its first argument, or what comes before the comparison. */
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

/** Assertions with their arguments and what is chained to them, as one line each. */
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

/** After the bracket that closes this one. */
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

/** Everything that a change does to test material, as it is told to a person. */
export function describeChanges(
  changed: readonly ChangedText[],
  isRestored: (path: string) => boolean,
): readonly Weakened[] {
  return changed.flatMap((change): readonly Weakened[] => {
    const { path } = change;
    const told = [...describe(change)];
    if (!isRestored(path)) return kindOf(path) === "ci" ? told : [];
    return told.length > 0 ? told : [{ path, what: words[statusOf(change)] }];
  });
}

function* describe(change: ChangedText): Iterable<Weakened> {
  const { path, before, after } = change;
  const kind = kindOf(path);
  const status = statusOf(change);
  if (kind === "manifest") {
    for (const what of manifestChanges(change)) yield { path, what };
    return;
  }
  if (kind === "ci" && status !== "added") yield { path, what: `CI configuration ${words[status]}` };
  if (kind === "config" || kind === "helper" || (kind === "ci" && status === "added")) {
    const name = kind === "helper" ? "test helper" : kind === "ci" ? "CI configuration" : "configuration";
    if (kind !== "ci") yield { path, what: `${name} ${words[status]}` };
  }
  if ((kind === "test" || kind === "data") && status === "deleted")
    yield { path, what: kind === "test" ? "test file deleted" : "test data deleted" };
  if (kind === "data" && status === "modified") yield { path, what: "test data changed" };
  if (kind !== "test" && kind !== "helper" && kind !== undefined) return;
  const skipped = count(skips, withoutComments(path, after)) - count(skips, withoutComments(path, before));
  if (skipped > 0 && (kind !== undefined || testItemsIn(path, after).length > 0))
    yield { path, what: `${skipped} test${skipped === 1 ? "" : "s"} skipped, or run alone` };
  if (kind === undefined || status !== "modified") return;
  const lost =
    count(assertions, withoutComments(path, before)) - count(assertions, withoutComments(path, after));
  if (lost > 0) yield { path, what: `${lost} assertion${lost === 1 ? "" : "s"} fewer` };
  else if (skipped <= 0 && kind === "test") yield { path, what: "test file changed" };
}

const words = { added: "added", modified: "changed", deleted: "deleted" } as const;

function manifestChanges({ path, before, after }: ChangedText): readonly string[] {
  if (before === undefined && after === undefined) return [];
  if (/\.jsonc?$/.test(path)) {
    if (after === undefined) return ["manifest deleted"];
    return [...packageChanges(before ?? "{}", after), ...redirectedRunners(before, after)];
  }
  return after === undefined ? ["manifest deleted"] : sectionChanges(path, before ?? "", after);
}

const ciChecks =
  /\b(?:test|tests|check|lint|coverage|pytest|tox|nox|vitest|jest|mocha|cargo|go vet|tsc|eslint|ruff|mypy|clippy|verify)\b/i;
const ciIgnores =
  /continue-on-error:\s*true|allow_failure:\s*true|\|\|\s*(?:true|:|echo|exit 0|printf)|\bset \+e\b|\bif:\s*(?:\$\{\{\s*)?false|\bexit 0\b|--passWithNoTests/;

const ciTriggers = /^\s*(?:-\s*)?(?:on:.*\b)?(?:push|pull_request|merge_group|merge_requests)\b/;

/** CI files are not run here, so only their text tells: a check that is gone, or one whose failure no longer counts. */
export function weakenedAutomation(changed: readonly ChangedText[]): readonly Weakened[] {
  return changed.flatMap((change): Weakened[] => {
    const { path, before, after } = change;
    if (kindOf(path) !== "ci" || /^\.vscode\//.test(path) || before === undefined) return [];
    if (after === undefined)
      return ciChecks.test(before) ? [{ path, what: "CI configuration with checks deleted" }] : [];
    const [old, now] = [commandLines(before), commandLines(after)];
    const lost = old.filter((line) => ciChecks.test(line) && !now.includes(line));
    const gained = now.filter((line) => ciChecks.test(line) && !old.includes(line));
    const ignored = linesWith(ciIgnores, after) > linesWith(ciIgnores, before);
    return [
      ...(lost.length > gained.length ? [{ path, what: `CI no longer runs \`${lost[0]}\`` }] : []),
      ...(ignored ? [{ path, what: "CI ignores a failure" }] : []),
      ...(linesWith(ciTriggers, after) < linesWith(ciTriggers, before)
        ? [{ path, what: "CI runs on fewer events" }]
        : []),
    ];
  });
}

function commandLines(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) =>
      line
        .trim()
        .replace(/^-\s*/, "")
        .replace(/^run:\s*/, ""),
    )
    .filter((line) => line !== "" && !/^(?:#|name:|uses:|on:|branches|paths|\w[\w-]*:\s*$)/.test(line));
}

function linesWith(pattern: RegExp, text: string): number {
  return text.split("\n").filter((line) => pattern.test(line)).length;
}

function count(pattern: RegExp, text: string | undefined): number {
  return text === undefined ? 0 : (text.match(pattern) ?? []).length;
}

/** A commented-out assertion checks nothing. */
function withoutComments(path: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const line = /\.(?:py|rb|sh|exs?)$/.test(path)
    ? /^\s*#(?!\[).*$/gm
    : /^\s*(?:\/\/(?!go:build).*|\*.*|\/\*.*)$/gm;
  return text.replace(line, "");
}

const runsChecks =
  /(?:^|\/)(?:package\.json|[Mm]akefile|GNUmakefile|justfile|tox\.ini|Taskfile\.ya?ml)$|\.(?:sh|bash|mk)$/;

/** Scripts and recipes whose failure no longer counts. */
export function ignoredFailures(changed: readonly ChangedText[]): readonly Weakened[] {
  return changed.flatMap(({ path, before, after }) =>
    runsChecks.test(path) && before !== undefined && count(ignored, after) > count(ignored, before)
      ? [{ path, what: "a failure is ignored" }]
      : [],
  );
}

const ignored = new RegExp(ciIgnores.source, "g");
const thresholds =
  /["']?\b(branches|functions|lines|statements|fail[-_]under|min[-_]?coverage|coverage)["']?\s*[:=]\s*["']?(\d+(?:\.\d+)?)/gi;

/** Limits of coverage that were lowered or taken out. */
export function loweredThresholds(changed: readonly ChangedText[]): readonly Weakened[] {
  return changed.flatMap(({ path, before, after }): Weakened[] => {
    const kind = kindOf(path);
    if ((kind !== "config" && kind !== "manifest") || before === undefined) return [];
    const limits = (text: string | undefined) =>
      [...(text ?? "").matchAll(thresholds)].map(
        ([, key = "", value]) => [key.toLowerCase(), Number(value)] as const,
      );
    const now = limits(after);
    const lowered = limits(before).some(([key, value]) => {
      const same = now.filter(([other]) => other === key).map(([, other]) => other);
      return same.length === 0 || Math.min(...same) < value;
    });
    return lowered && limits(before).length > 0 ? [{ path, what: "a limit of coverage was lowered" }] : [];
  });
}

const suppressions =
  /^\s*(?:\/\/\s*@ts-nocheck|\/\*\s*eslint-disable\s*\*\/|\/\/\s*biome-ignore-all|#\s*(?:flake8|ruff):\s*noqa\s*$|#\s*mypy:\s*ignore-errors|#\s*type:\s*ignore\s*$|#\s*pylint:\s*(?:skip-file|disable-all)|\/\*\s*(?:istanbul|c8|v8) ignore file)/gm;

/** Files of the base that a check no longer looks at. */
export function suppressedChecks(changed: readonly ChangedText[]): readonly Weakened[] {
  return changed.flatMap(({ path, before, after }) =>
    before !== undefined && count(suppressions, after) > count(suppressions, before)
      ? [{ path, what: "a check is switched off for the whole file" }]
      : [],
  );
}

/** Tests inside source files that are gone or changed; `runsExamples`: whether a check runs those in documentation. */
export function lostItems(
  changed: readonly ChangedText[],
  runsExamples: (path: string) => boolean,
): readonly Weakened[] {
  const sources = changed.filter(({ path }) => kindOf(path) === undefined);
  const left = new Map<string, number>();
  for (const { path, after } of sources)
    for (const item of testItemsIn(path, after)) left.set(item, (left.get(item) ?? 0) + 1);
  return sources.flatMap(({ path, before, after }): Weakened[] => {
    const lost = testItemsIn(path, before).filter((item) => {
      if (item.startsWith("example") && !runsExamples(path)) return false;
      const many = left.get(item) ?? 0;
      left.set(item, many - 1);
      return many <= 0;
    });
    const added = testItemsIn(path, after).filter((item) =>
      /^tests: (?:#\[.*\] )?macro_rules!|\bas assert/.test(item),
    );
    const known = new Set(testItemsIn(path, before));
    const shadowing = added.some((item) => !known.has(item));
    return [
      ...(lost.length > 0
        ? [
            {
              path,
              what: `${lost.length} test${lost.length === 1 ? "" : "s"} inside the source changed or removed`,
            },
          ]
        : []),
      ...(shadowing ? [{ path, what: "an assertion is redefined inside the source" }] : []),
    ];
  });
}
