import { type CheckKind, type CheckRecord, judgeCheck } from "../core/proof/check-record.ts";
import { detectTests } from "../core/proof/detect-commands.ts";
import { type Deny, deny } from "../core/rules/verdict.ts";
import type { ChangeFacts, Prover } from "../proof/prover.ts";

export interface WantedCheck {
  readonly command: string;
  readonly kind: CheckKind;
}

export interface ProofPlan {
  readonly base: string;
  readonly result: string;
  readonly checks: readonly WantedCheck[];
  /** Commands whose second run counts. */
  readonly flaky: readonly string[];
  readonly change: ChangeFacts;
  onProgress(line: string): void;
}

export type Proof =
  | { readonly records: readonly CheckRecord[] }
  /** `wait`: only a person can decide. */
  | {
      readonly refused: Deny;
      readonly records: readonly CheckRecord[];
      readonly wait?: "red base" | "vacuous";
    };

/** `auto` stands for what the tree itself tells; a tree that tells nothing has no checks of its own. */
export async function projectChecks(
  prover: Prover,
  commit: string,
  listed: readonly string[],
): Promise<readonly string[]> {
  if (!listed.includes("auto")) return listed;
  await prover.show(commit);
  const detected = detectTests(prover.top);
  return listed.flatMap((one) => (one !== "auto" ? [one] : detected === undefined ? [] : [detected]));
}

/** Every check on the base first, then on the result; the first that does not hold ends it. */
export async function proveLanding(prover: Prover, plan: ProofPlan): Promise<Proof> {
  const records: CheckRecord[] = [];
  for (const { command, kind } of plan.checks) {
    plan.onProgress(`on the base: ${command}`);
    const before = await prover.run(plan.base, command);
    if ("error" in before) return { refused: deny("R-PC-003", before.error, { command }), records };
    if (kind === "project" && before.run.exit !== 0)
      return {
        refused: deny("R-PC-002", `\`${command}\` fails on the base already: mend that first`, {
          command,
          output: before.run.tail,
        }),
        records,
        wait: "red base",
      };
    plan.onProgress(`on the merged tree: ${command}`);
    const after = await prover.run(plan.result, command, plan.change);
    if ("error" in after) return { refused: deny("R-PC-003", after.error, { command }), records };
    const again = after.run.exit === 0 ? null : await runAgain(prover, plan, command);
    const runs = { kind, before: before.run, after: after.run, again };
    const record = { command, tree: after.tree, ...runs, outcome: judgeCheck(runs) };
    records.push(record);
    const refused = whyNot(record, plan.flaky);
    if (refused !== undefined)
      return { refused, records, ...(record.outcome === "vacuous" ? { wait: "vacuous" as const } : {}) };
  }
  return { records };
}

async function runAgain(prover: Prover, plan: ProofPlan, command: string) {
  plan.onProgress(`once more: ${command}`);
  const again = await prover.run(plan.result, command, plan.change);
  return "error" in again ? null : again.run;
}

function whyNot({ command, outcome, after, again }: CheckRecord, flaky: readonly string[]): Deny | undefined {
  if (outcome === "pass") return undefined;
  if (outcome === "flaky" && flaky.includes(command)) return undefined;
  if (outcome === "vacuous")
    return deny(
      "R-PC-002",
      `\`${command}\` passes without the change too, so it proves nothing: a person decides`,
      { command },
    );
  const why =
    outcome === "flaky"
      ? "failed and then passed: make it reliable, or list it under `checks.flaky`"
      : `fails on the merged tree (exit ${after.exit}): mend it on the branch and land again`;
  return deny("R-PC-002", `\`${command}\` ${why}`, { command, outcome, output: again?.tail ?? after.tail });
}
