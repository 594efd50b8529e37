import {
  type CheckKind,
  type CheckRecord,
  type CheckRun,
  failedRun,
  judgeCheck,
  outputOf,
  whyUntested,
} from "../../../core/proof/check-record.ts";
import { detectTests, type TopFolder, whyNoTests } from "../../../core/proof/detect-commands.ts";
import { lostTests } from "../../../core/proof/lost-tests.ts";
import type { ChangeFacts } from "../../../core/proof/proof-request.ts";
import { isSameFailure } from "../../../core/proof/same-failure.ts";
import { type Deny, deny } from "../../../core/rules/verdict.ts";
import type { JudgedCheck } from "../../../proof/judgement/judge-change.ts";
import type { Proven, Prover } from "../../../proof/prover.ts";
import { readTrees } from "../../../workspace/git/read-tree.ts";
import { isIdleCheck } from "./is-idle-check.ts";
import { refuseUnset } from "./refuse-unset.ts";
import { refusedWrite } from "./refused-write.ts";
import { settledRun, tryCheck } from "./try-check.ts";

export interface WantedCheck {
  readonly command: string;
  readonly kind: CheckKind;
}

export function isAmong(checks: readonly WantedCheck[], wanted: string): boolean {
  return checks.some(({ command }) => command === wanted);
}

/** The project's checks. `auto` is replaced by the test command that is found in the tree, if there is one. */
export async function projectChecks(
  root: string,
  commit: string,
  listed: readonly string[],
): Promise<readonly WantedCheck[]> {
  const detected = listed.includes("auto") ? detectTests(await readTop(root, commit)) : undefined;
  const commands = listed.flatMap((one) =>
    one !== "auto" ? [one] : detected === undefined ? [] : [detected],
  );
  return [...new Set(commands)].map((command) => ({ command, kind: "project" }));
}

/** Why `auto` found no test command. */
export async function whyNoChecks(root: string, commit: string): Promise<string> {
  return whyNoTests(await readTop(root, commit));
}

async function readTop(root: string, commit: string): Promise<TopFolder> {
  const [tree] = await readTrees(root, [commit]);
  return { has: (name) => tree?.idOf(name) !== undefined, text: (name) => tree?.text(name) };
}

/** The id of the decision that waits for a person; undefined in a dry run. */
interface Waiting {
  readonly waitingFor: string | undefined;
}

/** A check that should prove a change and does not. */
export interface VacuousCheck {
  readonly command: string;
  readonly why: string;
}

const passesBefore = "it also passes on the base, without the change";

interface Proving {
  readonly root: string;
  readonly prover: Prover;
  readonly base: string;
  /** Progress lines name the base so; `on the base` by default. */
  readonly onBase?: string;
  /** Commands that may fail once if their second run passes. */
  readonly flaky: readonly string[];
  /** How many times each command was flaky in earlier proofs. */
  flakyBefore?(): Promise<ReadonlyMap<string, number>>;
  /** A project check may fail the same way as on the base. */
  readonly allowRed?: boolean;
  /** Whether a person accepts a check that proves nothing. */
  approves(check: VacuousCheck): Promise<"approved" | "refused" | Waiting>;
  onProgress(line: string, state?: "running"): void;
}

export type Proof =
  /** `passed`: the checks whose tests can be compared with the base. */
  | { readonly records: readonly CheckRecord[]; readonly passed: readonly JudgedCheck[] }
  /** `failed`: the command that failed; another change may be the cause. */
  | {
      readonly records: readonly CheckRecord[];
      readonly refused: Deny;
      readonly failed?: string;
      /** Only a person can decide. */
      readonly waiting?: true;
    };

interface Claim {
  readonly change: ChangeFacts;
  readonly approves: Proving["approves"];
  /** The work belongs to a run, which hands it in again by itself. */
  readonly ofRun: boolean;
}

/** Runs checks on merged trees. Each command runs on the base first; that result is kept. */
export class ChecksProof {
  readonly #with: Omit<Proving, "approves">;
  readonly #before = new Map<string, Proven>();
  /** Commands whose failure on the base was retried. */
  readonly #retried = new Set<string>();

  constructor(proving: Omit<Proving, "approves">) {
    this.#with = proving;
  }

  /** A refusal if a project check fails on the base: no change can be verified then. */
  async findRedBase(checks: readonly WantedCheck[]): Promise<Deny | undefined> {
    for (const { command, kind } of checks) {
      const before = await this.#onBase(command, kind);
      if ("allow" in before) return before;
      if (before.run.exit === 0 || this.#with.allowRed) continue;
      return this.#redBase(command, before.run);
    }
    return undefined;
  }

  /** Runs checks on the base. Refuses only if a check cannot be run at all. */
  async readBase(checks: readonly WantedCheck[]): Promise<Deny | undefined> {
    for (const { command, kind } of checks) {
      const before = await this.#onBase(command, kind);
      if ("allow" in before) return before;
    }
    return undefined;
  }

  /** The results of these checks on the base, of those that ran there. */
  known(checks: readonly WantedCheck[]): readonly { readonly command: string; readonly before: Proven }[] {
    return checks.flatMap(({ command }) => {
      const before = this.#before.get(command);
      return before === undefined ? [] : [{ command, before }];
    });
  }

  /** Runs all checks on one merged tree, up to the first that fails. */
  async prove(
    commit: string,
    checks: readonly WantedCheck[],
    { change, approves, ofRun }: Claim,
  ): Promise<Proof> {
    const records: CheckRecord[] = [];
    const passed: JudgedCheck[] = [];
    for (const { command, kind } of checks) {
      const before = await this.#onBase(command, kind);
      if ("allow" in before) return { refused: before, records };
      this.#with.onProgress(`running on the merged tree: ${command}`, "running");
      const { prover, allowRed, onProgress } = this.#with;
      const isKnown = (run: CheckRun) =>
        allowRed === true && kind === "project" && isSameFailure(before.run, run);
      const whole = (proven: Proven) => wholeRun(proven, before);
      const tried = await tryCheck(prover, { commit, command, change, isKnown, whole, onProgress });
      if ("error" in tried) return { refused: notRun(command, tried.error), records };
      const { tree, again } = tried;
      const after = { ...tried.first, ...(await this.#idleCount(commit, command, tried.first)) };
      const asBefore = isKnown(after);
      const runs = { kind, before: before.run, after, again };
      const record = { command, tree, ...runs, outcome: judgeCheck(runs) };
      records.push(record);
      const isRepair = kind === "project" && after.exit === 0;
      if (kind !== "proves" && (before.run.exit === 0 || isRepair || asBefore))
        passed.push({
          command,
          before,
          after: { tree, run: after, reused: false, inventory: tried.inventory },
        });
      if (record.outcome === "pass" || asBefore) continue;
      const isRedBase = !allowRed && kind === "project" && before.run.exit !== 0 && record.outcome === "fail";
      if (isRedBase) return { refused: await this.#redBase(command, before.run), records, waiting: true };
      if (record.outcome === "flaky" && this.#with.flaky.includes(command)) continue;
      if (record.outcome !== "vacuous") {
        const times = (await this.#with.flakyBefore?.())?.get(command) ?? 0;
        const refused = whyNot(record, ofRun, times);
        return { refused, records, ...(record.outcome === "fail" ? { failed: command } : {}) };
      }
      const why = before.run.exit === 0 ? passesBefore : (whyUntested(after) ?? passesBefore);
      const answer = await approves({ command, why });
      if (answer !== "approved") return { ...vacuous({ command, why }, answer, ofRun), records };
    }
    return { records, passed };
  }

  async fails(commit: string, command: string, change: ChangeFacts): Promise<boolean> {
    this.#with.onProgress(`looking for the change that makes it fail: ${command}`, "running");
    const { prover, allowRed, onProgress } = this.#with;
    const before = allowRed ? this.#before.get(command)?.run : undefined;
    const isKnown = (run: CheckRun) => before !== undefined && isSameFailure(before, run);
    const tried = await tryCheck(prover, { commit, command, change, isKnown, onProgress });
    if ("error" in tried) return true;
    const run = settledRun(tried);
    return run.exit !== 0 && !isKnown(run);
  }

  async #redBase(command: string, run: CheckRun): Promise<Deny> {
    const { prover, base } = this.#with;
    const refused =
      (await refuseUnset(prover, base, { command, run })) ??
      deny(
        "R-PC-002",
        refusedWrite(prover, { command, base: "the base", run }) ?? redBase(command, prover.hasNetwork),
      );
    return { ...refused, details: { command, base_exit: run.exit, ...refused.details, ...printed(run) } };
  }

  /** No runner reports the tests of a command that only prints something. */
  async #idleCount(commit: string, command: string, run: CheckRun): Promise<Pick<CheckRun, "tests">> {
    if (run.exit !== 0 || run.tests !== undefined) return {};
    const isIdle = await isIdleCheck(this.#with.root, commit, command);
    return isIdle ? { tests: { ran: 0, skipped: 0 } } : {};
  }

  async #onBase(command: string, kind: CheckKind): Promise<Proven | Deny> {
    const known = this.#before.get(command);
    // The result of a task's own check on the base decides nothing, and it mostly fails there: no retry.
    const isKnown = () => kind === "acceptance";
    if (known !== undefined && (known.run.exit === 0 || isKnown() || this.#retried.has(command)))
      return known;
    this.#with.onProgress(`running ${this.#with.onBase ?? "on the base"}: ${command}`, "running");
    const { prover, base: commit, flaky, onProgress } = this.#with;
    const tried = await tryCheck(prover, { commit, command, isKnown, onProgress });
    if ("error" in tried) return notRun(command, tried.error);
    const run = settledRun(tried);
    const before = { tree: tried.tree, run, reused: false, inventory: tried.inventory };
    this.#before.set(command, before);
    if (!isKnown()) this.#retried.add(command);
    // A flaky check counts as passed on the base: if the change breaks it, it fails on the merged tree twice.
    if (run.earlier !== undefined && !flaky.includes(command)) onProgress(flakyBase(command, run));
    return before;
  }
}

/** The message about a check that failed and then passed on the base. */
export function flakyBase(command: string, { earlier }: CheckRun): string {
  return `\`${command}\` is flaky on the base: it failed (exit ${earlier?.exit}, ${earlier?.at}) and passed`;
}

/** The output of a failed run, as details of a refusal. */
export function printed(run: Omit<CheckRun, "earlier">) {
  return { output: outputOf(run), ...(run.log === undefined ? {} : { log: run.log }) };
}

/**
 * A run whose test runner stopped before its end counts as failed, whatever its exit code is. If it stops early on the
 * base too, nothing follows from that.
 */
function wholeRun({ run, inventory }: Proven, before: Proven): CheckRun {
  const cut = inventory?.cut ?? null;
  if (run.exit !== 0 || cut === null || before.inventory?.cut != null) return run;
  const lost =
    before.inventory === null ? [] : lostTests(before.inventory, inventory).map(({ test }) => test);
  const named = lost.slice(0, 20).join("; ");
  const more = lost.length > 20 ? ` and ${lost.length - 20} more` : "";
  const unrun = lost.length === 0 ? "" : `, and these tests of the base did not run: ${named}${more}`;
  return { ...run, exit: null, tail: `${run.tail}\nlockstep: it exited with 0, but ${cut}${unrun}\n` };
}

function redBase(command: string, hasNetwork: boolean): string {
  const next = hasNetwork
    ? "fix the base first, or pass --allow-red to tolerate checks that fail the same way before and after"
    : "checks have no network because `limits.max_proofs` is above 1: set it to 1 if they need one; otherwise fix the base first, or pass --allow-red to tolerate checks that fail the same way before and after";
  return `\`${command}\` already fails on the base, so nothing can be verified: ${next}`;
}

function notRun(command: string, error: string): Deny {
  return deny("R-PC-003", error, { command });
}

/** `times`: how many times the check was flaky in earlier proofs. */
function whyNot(record: CheckRecord, ofRun: boolean, times: number): Deny {
  const { command, outcome, before, after } = record;
  const fix = ofRun ? "fix it and hand it in again" : "fix the branch and land again";
  const seen = times === 1 ? "was flaky once before" : `was flaky ${times} times before`;
  const too = before?.earlier !== undefined ? "is flaky on the base" : times > 0 ? seen : undefined;
  const next =
    too === undefined ? fix : `${fix}, or, if the check is unreliable, list it under \`checks.flaky\``;
  const fails = `fails on the merged tree (exit ${after.exit})${too === undefined ? "" : `, and ${too}`}`;
  const why = outcome === "flaky" ? flakyWords(record) : `${fails}: ${next}`;
  return deny("R-PC-002", `\`${command}\` ${why}`, {
    ...{ command, outcome },
    ...(after.earlier === undefined ? {} : { failed_at: after.earlier.at }),
    ...printed(failedRun(record) ?? after),
  });
}

function flakyWords({ after: { exit, earlier, machine }, again }: CheckRecord): string {
  const elsewhere = again?.machine === undefined || again.machine === machine ? undefined : again.machine;
  const how =
    earlier === undefined
      ? elsewhere === undefined
        ? `failed (exit ${exit}) and passed when it was retried`
        : `failed on ${machine} (exit ${exit}) and passed on ${elsewhere}`
      : `passes now, but failed on the same tree (exit ${earlier.exit}, ${earlier.at})`;
  return `${how}: make it reliable, or list it under \`checks.flaky\``;
}

function vacuous({ command, why }: VacuousCheck, answer: "refused" | Waiting, ofRun: boolean) {
  const problem = `\`${command}\` proves nothing: ${why}`;
  if (answer === "refused")
    return {
      refused: deny(
        "R-PC-002",
        `${problem}, and a person refused it: name a check that fails without the change`,
        { command },
      ),
    };
  const { waitingFor } = answer;
  const next =
    waitingFor === undefined
      ? "a person would have to decide"
      : `a person has to decide: \`lockstep decide ${waitingFor} approved\`, then ${ofRun ? "run" : "land"} again`;
  return {
    refused: deny("R-PC-002", `${problem}; ${next}`, { command, decision: waitingFor }),
    waiting: true as const,
  };
}
