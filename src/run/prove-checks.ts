import { type CheckKind, type CheckRecord, type CheckRun, judgeCheck } from "../core/proof/check-record.ts";
import { detectTests, type TopFolder } from "../core/proof/detect-commands.ts";
import { lostTests } from "../core/proof/lost-tests.ts";
import { isSameFailure } from "../core/proof/same-failure.ts";
import { type Deny, deny } from "../core/rules/verdict.ts";
import type { JudgedCheck } from "../proof/judgement/judge-change.ts";
import type { ChangeFacts, Proven, Prover } from "../proof/prover.ts";
import { readTrees } from "../workspace/git/read-tree.ts";

export interface WantedCheck {
  readonly command: string;
  readonly kind: CheckKind;
}

export function isAmong(checks: readonly WantedCheck[], wanted: string): boolean {
  return checks.some(({ command }) => command === wanted);
}

/** `auto` stands for what the tree itself tells; a tree that tells nothing has no checks of its own. */
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

async function readTop(root: string, commit: string): Promise<TopFolder> {
  const [tree] = await readTrees(root, [commit]);
  return { has: (name) => tree?.idOf(name) !== undefined, text: (name) => tree?.text(name) };
}

/** The decision that a person was asked for; none in a dry run. */
interface Waiting {
  readonly waitingFor: string | undefined;
}

interface Proving {
  readonly prover: Prover;
  readonly base: string;
  /** What the base is called. */
  readonly before?: string;
  /** Commands whose second run counts. */
  readonly flaky: readonly string[];
  /** A check of the project's own may fail as it did on the base. */
  readonly allowRed?: boolean;
  /** True if a person said that a check which proves nothing is good enough. */
  approves(command: string): Promise<"approved" | "refused" | Waiting>;
  onProgress(line: string): void;
}

export type Proof =
  /** `passed`: what the base's tests can be compared with. */
  | { readonly records: readonly CheckRecord[]; readonly passed: readonly JudgedCheck[] }
  /** `failed`: the command whose failure refused it; somebody else's work may be the reason. */
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
  /** It is the work of a run, which hands it in again by itself. */
  readonly ofRun: boolean;
}

/** Runs checks on merged trees, each on the base first; what it was there is asked once. */
export class ChecksProof {
  readonly #with: Omit<Proving, "approves">;
  readonly #before = new Map<string, Proven>();

  constructor(proving: Omit<Proving, "approves">) {
    this.#with = proving;
  }

  /** Where the project's own checks fail on the base, nothing can be told about any work. */
  async findRedBase(checks: readonly WantedCheck[]): Promise<Deny | undefined> {
    for (const { command } of checks) {
      const before = await this.#onBase(command);
      if ("allow" in before) return before;
      if (before.run.exit === 0 || this.#with.allowRed) continue;
      return redBase(command, before.run);
    }
    return undefined;
  }

  /** Runs checks on the base alone; a reason only where one cannot be run at all. */
  async readBase(checks: readonly WantedCheck[]): Promise<Deny | undefined> {
    for (const { command } of checks) {
      const before = await this.#onBase(command);
      if ("allow" in before) return before;
    }
    return undefined;
  }

  /** All checks on one merged tree; the first that does not hold ends it. */
  async prove(
    commit: string,
    checks: readonly WantedCheck[],
    { change, approves, ofRun }: Claim,
  ): Promise<Proof> {
    const records: CheckRecord[] = [];
    const passed: JudgedCheck[] = [];
    for (const { command, kind } of checks) {
      const before = await this.#onBase(command);
      if ("allow" in before) return { refused: before, records };
      this.#with.onProgress(`on the merged tree: ${command}`);
      const proven = await this.#with.prover.run(commit, command, change);
      if ("error" in proven) return { refused: notRun(command, proven.error), records };
      const after = wholeRun(proven, before);
      const asBefore = this.#with.allowRed && kind === "project" && isSameFailure(before.run, after);
      const again =
        after.exit === 0 || asBefore ? null : await this.#again(commit, command, { change, before });
      const runs = { kind, before: before.run, after, again };
      const record = { command, tree: proven.tree, ...runs, outcome: judgeCheck(runs) };
      records.push(record);
      const isRepair = kind === "project" && after.exit === 0;
      if (kind !== "proves" && (before.run.exit === 0 || isRepair || asBefore))
        passed.push({ command, before, after: proven });
      if (record.outcome === "pass" || asBefore) continue;
      const isRedBase = kind === "project" && before.run.exit !== 0 && record.outcome === "fail";
      if (isRedBase) return { refused: redBase(command, before.run), records, waiting: true };
      if (record.outcome === "flaky" && this.#with.flaky.includes(command)) continue;
      if (record.outcome !== "vacuous") {
        const refused = whyNot(record, ofRun);
        return { refused, records, ...(record.outcome === "fail" ? { failed: command } : {}) };
      }
      const answer = await approves(command);
      if (answer !== "approved") return { ...vacuous(command, answer, ofRun), records };
    }
    return { records, passed };
  }

  async fails(commit: string, command: string, change: ChangeFacts): Promise<boolean> {
    this.#with.onProgress(`replaying, to see whose change it is: ${command}`);
    const proven = await this.#with.prover.run(commit, command, change);
    if ("error" in proven) return true;
    const before = this.#with.allowRed ? this.#before.get(command)?.run : undefined;
    return proven.run.exit !== 0 && !(before !== undefined && isSameFailure(before, proven.run));
  }

  async #onBase(command: string): Promise<Proven | Deny> {
    const known = this.#before.get(command);
    if (known !== undefined) return known;
    this.#with.onProgress(`${this.#with.before ?? "on the base"}: ${command}`);
    const before = await this.#with.prover.run(this.#with.base, command);
    if ("error" in before) return notRun(command, before.error);
    this.#before.set(command, before);
    return before;
  }

  async #again(
    commit: string,
    command: string,
    { change, before }: { readonly change: ChangeFacts; readonly before: Proven },
  ): Promise<CheckRun | null> {
    this.#with.onProgress(`once more: ${command}`);
    const again = await this.#with.prover.run(commit, command, change);
    return "error" in again ? null : wholeRun(again, before);
  }
}

/** A runner that was cut short proves nothing, whatever it exits with; on the base it may always be. */
function wholeRun({ run, inventory }: Proven, before: Proven): CheckRun {
  const cut = inventory?.cut ?? null;
  if (run.exit !== 0 || cut === null || before.inventory?.cut != null) return run;
  const lost =
    before.inventory === null ? [] : lostTests(before.inventory, inventory).map(({ test }) => test);
  const named = lost.slice(0, 3).join("; ");
  const more = lost.length > 3 ? ` and ${lost.length - 3} more` : "";
  const unrun = lost.length === 0 ? "" : `, and these tests of the base did not run: ${named}${more}`;
  return { ...run, exit: null, tail: `${run.tail}\nlockstep: it exited with 0, but ${cut}${unrun}\n` };
}

function redBase(command: string, { tail }: CheckRun): Deny {
  const reason = `\`${command}\` already fails on the base, so nothing can be verified: fix the base first, or compare failures with --allow-red`;
  return deny("R-PC-002", reason, { command, output: tail });
}

function notRun(command: string, error: string): Deny {
  return deny("R-PC-003", error, { command });
}

function whyNot({ command, outcome, after, again }: CheckRecord, ofRun: boolean): Deny {
  const way = ofRun ? "mend it and hand it in again" : "mend it on the branch and land again";
  const why =
    outcome === "flaky"
      ? "failed and then passed: make it reliable, or list it under `checks.flaky`"
      : `fails on the merged tree (exit ${after.exit}): ${way}`;
  return deny("R-PC-002", `\`${command}\` ${why}`, { command, outcome, output: again?.tail ?? after.tail });
}

function vacuous(command: string, answer: "refused" | Waiting, ofRun: boolean) {
  const told = `\`${command}\` passes without the change too, so it proves nothing`;
  if (answer === "refused")
    return {
      refused: deny("R-PC-002", `${told}, and a person refused it: give one that fails`, { command }),
    };
  const { waitingFor } = answer;
  const next =
    waitingFor === undefined
      ? "a person would have to decide"
      : `a person decides: \`lockstep decide ${waitingFor} approved\`, then ${ofRun ? "run" : "land"} again`;
  return {
    refused: deny("R-PC-002", `${told}: ${next}`, { command, decision: waitingFor }),
    waiting: true as const,
  };
}
