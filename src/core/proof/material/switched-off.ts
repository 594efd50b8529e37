import { kindOf } from "./kinds.ts";
import { count } from "./test-text.ts";
import type { ChangedText, Weakened } from "./weakenings.ts";

const ciChecks =
  /\b(?:test|tests|check|lint|coverage|pytest|tox|nox|vitest|jest|mocha|cargo|go vet|tsc|eslint|ruff|mypy|clippy|verify)\b/i;
const ciIgnores =
  /continue-on-error:\s*true|allow_failure:\s*true|\|\|\s*(?:true|:|echo|exit 0|printf)|\bset \+e\b|\bif:\s*(?:\$\{\{\s*)?false|\bexit 0\b|--passWithNoTests/;

const ciTriggers = /^\s*(?:-\s*)?(?:on:.*\b)?(?:push|pull_request|merge_group|merge_requests)\b/;

/** CI files are not run here, so their text is compared: finds removed checks and ignored failures. */
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

const ignored =
  /\|\|\s*(?:true\b|:|echo|exit 0|printf)|\bset \+e\b|--passWithNoTests|;\s*(?:true|exit 0)\s*["']?\s*$/gm;
const thresholds =
  /["']?\b(branches|functions|lines|statements|fail[-_]under|min[-_]?coverage|coverage)["']?\s*[:=]\s*["']?(\d+(?:\.\d+)?)/gi;

/** Coverage limits that were lowered or removed. */
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
    return lowered && limits(before).length > 0 ? [{ path, what: "a coverage limit was lowered" }] : [];
  });
}

/** Files that tell a build which tests there are. */
const buildFile =
  /(?:^|\/)(?:CMakeLists\.txt|CMake(?:User)?Presets\.json|pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|gradle\.properties|BUILD(?:\.bazel)?|\.bazelrc|mix\.exs|build\.sbt|Directory\.Build\.(?:props|targets)|meson\.build|build\.zig|\.proverc|dune(?:-project)?|Package\.swift)$|\.(?:cmake|cabal|csproj|fsproj|vbproj|gradle)$|(?:^|\/)\.mvn\//;
const namesTests = /test|spec|check|verify/i;
const skipsTests =
  /skip\w*tests?|tests?\.?skip|skipITs|testFailureIgnore|ignoreFailures|enabled\s*=\s*false|onlyIf|WILL_FAIL|DISABLED|<excludes?>|\bexclude(?:s|TestsMatching)?\b(?!\s*\(?\s*(?:group|module))|includeTest/i;

/**
 * Build files whose text no longer names the same tests. Only for checks without reports of single tests, because those
 * show more exactly what is missing.
 */
export function testsLeftOut(changed: readonly ChangedText[]): readonly Weakened[] {
  return changed.flatMap(({ path, before = "", after = "" }): Weakened[] => {
    if (!buildFile.test(path)) return [];
    const [old, now] = [trimmedLines(before), trimmedLines(after)];
    const lost = [...old].find((line) => namesTests.test(line) && !now.has(line));
    const added = [...now].find((line) => skipsTests.test(line) && !old.has(line));
    return [
      ...(lost === undefined ? [] : [{ path, what: `the build no longer has the line \`${lost}\`` }]),
      ...(added === undefined ? [] : [{ path, what: `may leave tests out: \`${added}\`` }]),
    ];
  });
}

function trimmedLines(text: string): ReadonlySet<string> {
  return new Set(text.split("\n").map((line) => line.trim()));
}

const suppressions =
  /^\s*(?:\/\/\s*@ts-nocheck|\/\*\s*eslint-disable\s*\*\/|\/\/\s*biome-ignore-all|#\s*(?:flake8|ruff):\s*noqa\s*$|#\s*mypy:\s*ignore-errors|#\s*type:\s*ignore\s*$|#\s*pylint:\s*(?:skip-file|disable-all)|\/\*\s*(?:istanbul|c8|v8) ignore file)/gm;

/** Existing files for which a check is now disabled. */
export function suppressedChecks(changed: readonly ChangedText[]): readonly Weakened[] {
  return changed.flatMap(({ path, before, after }) =>
    before !== undefined && count(suppressions, after) > count(suppressions, before)
      ? [{ path, what: "a check is disabled for the whole file" }]
      : [],
  );
}
