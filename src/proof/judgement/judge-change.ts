import { type CheckRecord, judgeCheck } from "../../core/proof/check-record.ts";
import { hasSimilarPass, isIsolated, lostTests, newTests } from "../../core/proof/lost-tests.ts";
import type { MaterialDiff } from "../../core/proof/material/material-diff.ts";
import type { ChangeFacts } from "../../core/proof/proof-request.ts";
import { isSameFailure } from "../../core/proof/same-failure.ts";
import type { Judgement, WeakeningReason } from "../../core/proof/weakening.ts";
import type { Proven, Prover } from "../prover.ts";
import { judgedCommit } from "./judged-tree.ts";
import { type MaterialInput, type ReadMaterial, readMaterial } from "./read-material.ts";

/** A check that passes on the change, or fails the same way as on the base if that is allowed. */
export interface JudgedCheck {
  readonly command: string;
  /** Its run on the base. */
  readonly before: Proven;
  /** Its run on the change. */
  readonly after: Proven;
}

export interface JudgeInput extends MaterialInput {
  readonly prover: Prover;
  readonly commit: string;
  readonly checks: readonly JudgedCheck[];
  /** Commands that otherwise run only on the tip of the chain. The base's tests are judged by them too. */
  readonly later: readonly string[];
  readonly change: ChangeFacts;
  onProgress(line: string, state?: "running"): void;
}

/**
 * What the base's tests verified must still hold (INV-10). The tests that passed on the base are compared with those that
 * passed on the change. If the change touched test material, the base's tests run on the change as well.
 */
export async function judgeChange(input: JudgeInput): Promise<Judgement> {
  const { tests, checks, onProgress } = input;
  const read = await readMaterial(input);
  const { diff } = read;
  if (tests.weaken === "allow")
    return { changes: diff.changes, allowed: diff.allowed, reasons: [], runs: [] };
  const ran = mustRun(read, checks) ? await runBaseTests(input, read) : { runs: [], reasons: [] };
  const reasons = [
    ...ran.reasons,
    ...lostOnChange(input, read, ran.runs.length > 0 && ran.reasons.length === 0),
    ...[...diff.asks, ...read.replaced].map((one) => ({ kind: "change", ...one }) as const),
    ...lostToReading(diff, checks),
  ];
  if (reasons.length === 0 && ran.runs.length > 0)
    onProgress(
      ran.runs.every(({ outcome }) => outcome === "pass")
        ? "the tests of the base pass on the change"
        : "the tests of the base show no new failure on the change",
    );
  return { changes: diff.changes, allowed: diff.allowed, reasons: unique(reasons), runs: ran.runs };
}

/** Whether a change touches test material, as far as that is known before a run. */
export async function touchesTests(input: MaterialInput): Promise<boolean> {
  const { diff, replaced } = await readMaterial(input);
  return diff.restored.size + diff.changes.length + diff.asks.length + replaced.length > 0;
}

/** Whether the base's tests must run: only if the inventories cannot show all that may have been weakened. */
function mustRun({ diff, isIsolating }: ReadMaterial, checks: readonly JudgedCheck[]): boolean {
  if (diff.restored.size === 0) return false;
  const shares = ({ before }: JudgedCheck) =>
    before.inventory === null || !isIsolating || !isIsolated(before.inventory);
  return (
    diff.mustJudge ||
    diff.reachesOthers ||
    checks.some(({ before }) => before.run.exit !== 0) ||
    // In a shared process, an added test can affect the others.
    (diff.addsTests && checks.some(shares))
  );
}

async function runBaseTests(
  { root, base, tree, checks, later, prover, change, onProgress }: JudgeInput,
  { diff, differences, mayLose }: ReadMaterial,
) {
  const commit = await judgedCommit(root, { base, tree, differences, restored: diff.restored });
  const runs: CheckRecord[] = [];
  const reasons: WeakeningReason[] = [];
  for (const { command, before, after } of [...checks, ...(await laterChecks({ prover, base, later }))]) {
    onProgress(`running the base's tests on the change: ${command}`, "running");
    const first = await prover.run(commit, command, change);
    if ("error" in first) {
      reasons.push({ kind: "command", command, why: `cannot run with the base's tests: ${first.error}` });
      continue;
    }
    const mayFail = before.run.exit !== 0 && after !== null && after.run.exit !== 0;
    const isGood = (proven: Proven) => holds(proven, before, { mayLose, mayFail });
    const again = isGood(first) ? null : await prover.run(commit, command, change);
    const second = again === null || "error" in again ? null : again;
    const record = {
      kind: "judgement",
      before: before.run,
      after: first.run,
      again: second?.run ?? null,
    } as const;
    runs.push({ command, tree: first.tree, ...record, outcome: judgeCheck(record) });
    const judged = second ?? first;
    if (isGood(judged)) continue;
    const lost = lostBetween(before, judged, mayLose);
    for (const { test, now } of lost) reasons.push({ kind: "test", command, test, now });
    if (lost.length === 0 && judged.run.exit !== 0)
      reasons.push({ kind: "command", command, why: "fails with the base's tests" });
    if (judged.run.exit === 0 && judged.inventory?.cut)
      reasons.push({ kind: "command", command, why: judged.inventory.cut });
  }
  return { runs, reasons };
}

/** The later commands that pass on the base; others verify nothing. */
async function laterChecks({ prover, base, later }: Pick<JudgeInput, "prover" | "base" | "later">) {
  const found: { readonly command: string; readonly before: Proven; readonly after: Proven | null }[] = [];
  for (const command of later) {
    const before = await prover.run(base, command);
    if (!("error" in before) && before.run.exit === 0) found.push({ command, before, after: null });
  }
  return found;
}

/** Whether the base's tests hold. Exit code 0 is not enough: the tests that passed on the base must have passed again. */
function holds(
  judged: Proven,
  before: Proven,
  { mayLose, mayFail }: { mayLose(test: string): boolean; readonly mayFail: boolean },
): boolean {
  const failsAsBefore =
    mayFail &&
    (isSameFailure(before.run, judged.run) || (before.inventory !== null && judged.inventory !== null));
  if (judged.run.exit !== 0 && !failsAsBefore && !failsOnly(judged, mayLose)) return false;
  const isCut = judged.inventory?.cut != null && before.inventory?.cut === null;
  return !isCut && lostBetween(before, judged, mayLose).length === 0;
}

/** Whether only tests fail that the change may touch. */
function failsOnly({ inventory }: Proven, mayLose: (test: string) => boolean): boolean {
  if (inventory === null || inventory.cut !== null) return false;
  const failing = Object.entries(inventory.tests).filter(([, outcome]) => outcome === "fail");
  return failing.length > 0 && failing.every(([test]) => mayLose(test));
}

function lostBetween(before: Proven, after: Proven, mayLose: (test: string) => boolean) {
  if (before.inventory === null) return [];
  return lostTests(before.inventory, after.inventory).filter(({ test }) => !mayLose(test));
}

/** Tests of the base that no longer pass in the change's own run, without those that were only renamed. */
function lostOnChange(
  { checks }: JudgeInput,
  { diff, mayLose }: ReadMaterial,
  isJudgedWell: boolean,
): readonly WeakeningReason[] {
  return checks.flatMap(({ command, before, after }): WeakeningReason[] => {
    if (before.inventory === null) return [];
    const gone = lostBetween(before, after, mayLose);
    // Names with a time or a random part differ in every run.
    const lost =
      diff.restored.size > 0 ? gone : gone.filter(({ test }) => !hasSimilarPass(test, after.inventory));
    if (lost.length === 0) return [];
    const isRenamed =
      isJudgedWell &&
      lost.every(({ now }) => now === "is missing") &&
      newTests(before.inventory, after.inventory).length >= lost.length &&
      diff.losses.assertions === 0 &&
      diff.losses.skipped + diff.losses.hollow + diff.losses.shortened === 0;
    return isRenamed ? [] : lost.map(({ test, now }) => ({ kind: "test", command, test, now }));
  });
}

/** Tests of the base that do not pass on the tip of a chain. */
export function lostOnTip(checks: readonly JudgedCheck[]): readonly WeakeningReason[] {
  return checks.flatMap(({ command, before, after }) =>
    lostBetween(before, after, () => false).map(
      ({ test, now }) => ({ kind: "test", command, test, now }) as const,
    ),
  );
}

/**
 * Weakenings that only the text shows: tests that still run and pass, but verify less. If there is no inventory, the
 * numbers of tests and assertions are compared.
 */
function lostToReading(diff: MaterialDiff, checks: readonly JudgedCheck[]): readonly WeakeningReason[] {
  const { assertions, tests, skipped, hollow, shortened, deleted, emptied } = diff.losses;
  const path = diff.changes.find(({ what }) => /test|assertion|helper/.test(what))?.path ?? "tests";
  const counted = (count: number, one: string, many: string): readonly WeakeningReason[] =>
    count === 0 ? [] : [{ kind: "change", path, what: `${count} ${count === 1 ? one : many}` }];
  const always = [
    ...counted(hollow, "test cannot fail any more", "tests cannot fail any more"),
    ...counted(shortened, "assertion was removed or cut short", "assertions were removed or cut short"),
  ];
  // If every check has an inventory, the tests were compared already; without checks the base verified nothing.
  if (checks.every(({ before }) => before.inventory !== null)) return always;
  return [
    ...always,
    ...deleted.map((file) => ({ kind: "change", path: file, what: "test file deleted" }) as const),
    ...diff.selects.map(
      (file) =>
        ({
          kind: "change",
          path: file,
          what: "may change which tests run, and no runner reports them",
        }) as const,
    ),
    ...emptied.map(
      (file) => ({ kind: "change", path: file, what: "most of the test file is gone" }) as const,
    ),
    ...(always.length > 0 ? [] : counted(assertions, "assertion fewer", "assertions fewer")),
    ...counted(tests, "test fewer", "tests fewer"),
    ...counted(skipped, "more test skipped", "more tests skipped"),
  ];
}

/** Reports a test once that both fails with the base's material and is missing in the change's own run. */
function unique(reasons: readonly WeakeningReason[]): readonly WeakeningReason[] {
  const found = new Map<string, WeakeningReason>();
  for (const reason of reasons) {
    const key = reason.kind === "test" ? reason.test : JSON.stringify(reason);
    if (!found.has(key)) found.set(key, reason);
  }
  return [...found.values()];
}
