import { isTestFolder, kindOf, type MaterialKind } from "./kinds.ts";
import { hasSections, mixSections } from "./manifest-sections.ts";
import { mixPackage, redirectedRunners } from "./package-manifest.ts";
import { mayReachOtherTests, shadowsRunner } from "./shadows.ts";
import {
  type ChangedText,
  describeChanges,
  lostItems,
  type ReadLosses,
  readLosses,
  statusOf,
  type Weakened,
  weakenedAutomation,
} from "./weakenings.ts";

/** What decides about a path besides its name. */
export interface MaterialFacts {
  /** Scripts that checks start, and helpers that only tests import. */
  isNamed(path: string): boolean;
  /** `tests.material` and `tests.ignore`; undefined where neither says anything. */
  configured(path: string): boolean | undefined;
  /** Tests that a person has allowed the change to touch. */
  mayChange(path: string): boolean;
  /** Whether the examples in the documentation of a source file are run as tests. */
  runsExamples(path: string): boolean;
}

/** How a path of the judged tree differs from the change's: as on the base, left out, or a text of both. */
export type Restored = "base" | "absent" | { readonly text: string };

export interface MaterialDiff {
  /** Empty where the change leaves test material alone. */
  readonly restored: ReadonlyMap<string, Restored>;
  /** Something that the base's tests are made of was edited, deleted or redefined, or loads into all of them. */
  readonly mustJudge: boolean;
  /** What decides which tests run was touched: configuration, scripts and what runners load. */
  readonly selects: readonly string[];
  /** Tests or their data were added: an inventory shows that the others still run. */
  readonly addsTests: boolean;
  /** An added test may change how others run where they share a process. */
  readonly reachesOthers: boolean;
  /** What no run of tests can show. */
  readonly asks: readonly Weakened[];
  /** Everything that was done to test material, in words. */
  readonly changes: readonly Weakened[];
  readonly losses: ReadLosses;
}

/** What a change does to the material that it is judged by. */
export function readMaterialDiff(all: readonly ChangedText[], facts: MaterialFacts): MaterialDiff {
  const changed = all.filter(({ path }) => !facts.mayChange(path));
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
    if (
      status !== "added" ||
      kind === "helper" ||
      kind === "config" ||
      kind === "script" ||
      kind === "manifest"
    )
      mustJudge = true;
    else addsTests = true;
    if (kind === "config" || kind === "script" || kind === "manifest") selects.push(path);
    if (status === "added" && kind === "test" && mayReachOtherTests(path, after)) reachesOthers = true;
  }
  const material = changed.filter(
    (change) => materialKind(change, facts) !== undefined || restored.has(change.path),
  );
  const sources = changed.filter(({ path }) => facts.configured(path) !== false);
  return {
    ...{ restored, mustJudge, selects, addsTests, reachesOthers },
    asks: [
      ...runnersElsewhere(changed),
      ...weakenedAutomation(material),
      ...lostItems(sources, facts.runsExamples),
    ],
    changes: describeChanges(material, (path) => restored.has(path)),
    losses: readLosses(material),
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

/** Undefined where only what belongs to the product differs. */
function mixed(change: ChangedText): Restored | undefined {
  const { path, before, after } = change;
  const isAdded = statusOf(change) === "added";
  if (after === undefined) return isAdded ? "absent" : "base";
  // A new package of the project's own; in a folder of tests it can only serve them.
  if (isAdded && path.includes("/")) return isTestFolder(path) ? "absent" : undefined;
  const base = before ?? (hasSections(path) ? "" : "{}");
  const text = hasSections(path) ? mixSections(path, base, after) : mixPackage(base, after);
  return text === after ? undefined : { text };
}

function runnersElsewhere(changed: readonly ChangedText[]): readonly Weakened[] {
  return changed.flatMap(({ path, before, after }) =>
    after !== undefined && /(?:^|\/)package\.json$/.test(path)
      ? redirectedRunners(before, after).map((what) => ({ path, what }))
      : [],
  );
}
