import { isTestFolder, kindOf, type MaterialKind } from "./kinds.ts";
import { hasSections, mixSections, redirectedModules } from "./manifest-sections.ts";
import { hasTools, mixPackage, redirectedLocks, redirectedRunners } from "./package-manifest.ts";
import { type ReadLosses, readLosses } from "./read-losses.ts";
import { mayReachOtherTests, shadowsRunner } from "./shadows.ts";
import {
  ignoredFailures,
  loweredThresholds,
  suppressedChecks,
  testsLeftOut,
  weakenedAutomation,
} from "./switched-off.ts";
import { type ChangedText, describeChanges, lostItems, statusOf, type Weakened } from "./weakenings.ts";

/** Facts that classify a path besides its name. */
export interface MaterialFacts {
  /** Scripts that checks start, and helpers that only tests import. */
  isNamed(path: string): boolean;
  /** By `tests.material` and `tests.ignore`; undefined if neither matches. */
  configured(path: string): boolean | undefined;
  /** Tests that a person has allowed to change. */
  mayChange(path: string): boolean;
  /** Whether a new file at this path would hide one that tests load. */
  mayShadow(path: string): boolean;
  /** Whether every check reports which tests ran. */
  readonly tellsTests: boolean;
  /** Whether the documentation examples of a source file are run as tests. */
  runsExamples(path: string): boolean;
}

/** How a path in the judged tree differs from the change: taken from the base, absent, or a mixed text. */
export type Restored = "base" | "absent" | { readonly text: string };

export interface MaterialDiff {
  /** Empty if the change does not touch test material. */
  readonly restored: ReadonlyMap<string, Restored>;
  /** Material of the base's tests was edited, deleted or redefined, or a new file is loaded into all of them. */
  readonly mustJudge: boolean;
  /** Changed files that decide which tests run: configuration, scripts and manifests. */
  readonly selects: readonly string[];
  /** Tests were added: an inventory shows that the others still run, and isolation that they are unaffected. */
  readonly addsTests: boolean;
  /** An added test writes files or starts programs, so isolation between tests is not guaranteed. */
  readonly reachesOthers: boolean;
  /** Changes that no test run can show; a person is asked about them. */
  readonly asks: readonly Weakened[];
  /** Descriptions of all changes to test material. */
  readonly changes: readonly Weakened[];
  /** Descriptions of changes to tests that a person had allowed. */
  readonly allowed: readonly Weakened[];
  readonly losses: ReadLosses;
}

/** Compares the test material of a change with the base. */
export function readMaterialDiff(all: readonly ChangedText[], facts: MaterialFacts): MaterialDiff {
  const isAllowed = ({ path }: ChangedText) => facts.mayChange(path);
  // If checks report single tests, the base's tests judge everything; if not, tests that may change are left out.
  const changed = facts.tellsTests ? all : all.filter((one) => !isAllowed(one));
  const restored = new Map<string, Restored>();
  const selects: string[] = [];
  let [mustJudge, addsTests, reachesOthers] = [false, false, false];
  for (const change of changed) {
    const { path, after } = change;
    const kind = materialKind(change, facts);
    if (kind === undefined || kind === "ci") continue;
    const status = statusOf(change);
    const how = kind === "manifest" ? mixed(change) : status === "added" ? "absent" : "base";
    if (how === undefined) continue;
    restored.set(path, how);
    if (status !== "added" || kind !== "test") mustJudge = true;
    else addsTests = true;
    if (kind === "config" || kind === "script" || kind === "manifest") selects.push(path);
    if (status === "added" && kind === "test" && (mayReachOtherTests(after) || facts.mayShadow(path)))
      reachesOthers = true;
  }
  const material = changed.filter(
    (change) => materialKind(change, facts) !== undefined || restored.has(change.path),
  );
  const asked = changed.filter((one) => !isAllowed(one));
  const sources = asked.filter(({ path }) => facts.configured(path) !== false);
  return {
    ...{ restored, mustJudge, selects, addsTests, reachesOthers },
    asks: [
      ...suppressedChecks(sources),
      ...ignoredFailures(asked),
      ...loweredThresholds(asked),
      ...runnersElsewhere(asked),
      ...weakenedAutomation(asked),
      ...(facts.tellsTests ? [] : testsLeftOut(asked)),
      ...lostItems(sources, facts.runsExamples),
    ],
    changes: describeChanges(
      material.filter((one) => !isAllowed(one)),
      (path) => restored.has(path),
    ),
    allowed: describeChanges(all.filter(isAllowed), () => true),
    losses: readLosses(material.filter((one) => !isAllowed(one))),
  };
}

function materialKind(change: ChangedText, facts: MaterialFacts): MaterialKind | undefined {
  const { path } = change;
  const configured = facts.configured(path);
  if (configured === false) return undefined;
  const kind = kindOf(path);
  if (kind !== undefined) return kind;
  if (configured === true) return "helper";
  if (facts.isNamed(path)) return "script";
  return statusOf(change) === "added" && shadowsRunner(path) ? "helper" : undefined;
}

/** Undefined if only product fields differ. */
function mixed(change: ChangedText): Restored | undefined {
  const { path, before, after } = change;
  const isAdded = statusOf(change) === "added";
  if (after === undefined) return isAdded ? "absent" : "base";
  // A new package of the project; in a test folder it can only serve the tests.
  if (isAdded && path.includes("/"))
    return isTestFolder(path) || hasTools(path, after) ? "absent" : undefined;
  const base = before ?? (hasSections(path) ? "" : "{}");
  const text = hasSections(path) ? mixSections(path, base, after) : mixPackage(base, after);
  return text === after ? undefined : { text };
}

function runnersElsewhere(changed: readonly ChangedText[]): readonly Weakened[] {
  return changed.flatMap(({ path, before, after }) => {
    if (after === undefined) return [];
    const found = /(?:^|\/)(?:package-lock|npm-shrinkwrap)\.json$/.test(path)
      ? redirectedLocks(before, after)
      : /(?:^|\/)package\.json$/.test(path)
        ? redirectedRunners(before, after)
        : redirectedModules(path, before ?? "", after);
    return found.map((what) => ({ path, what }));
  });
}
