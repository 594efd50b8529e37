import { unknownTask } from "../../core/names/task-name.ts";
import { factsOf, rules } from "../../core/points/pre-complete.ts";
import { commandsIn, isCommand, readCriterion } from "../../core/proof/criterion.ts";
import type { Judgement } from "../../core/proof/weakening.ts";
import { decide } from "../../core/rules/rule.ts";
import { allow, type Deny, deny, type Verdict } from "../../core/rules/verdict.ts";
import type { Evidence } from "../../core/tasks/evidence.ts";
import { advance } from "../../core/tasks/machine.ts";
import { acceptanceCheckIn } from "../../core/tasks/result.ts";
import type { Task } from "../../core/tasks/task.ts";
import { field, isTextList } from "../../core/values/fields.ts";
import type { Admitted } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { checkEpoch, loadTask } from "../change/fence.ts";
import { fingerprintOf, fixDeltaOf, refusalOf } from "../change/refusals.ts";
import { type Settled, settle } from "../change/settle.ts";
import { settleJudgement } from "../decisions/settle-judgement.ts";

export interface CompleteInput {
  readonly task: string;
  /** `{acceptance_check, required_criteria?}`; without it, the checks that the result reported. */
  readonly document?: unknown;
  readonly commit?: string;
  /** False for work whose merge was judged before: a person merged the proposed branch. */
  readonly judge?: false;
}

/**
 * PreComplete, then MERGED, for callers that merge themselves. A criterion `cmd: …` is run here, on the tree of
 * the commit; any other criterion is a claim and stays marked as such.
 */
export async function completeTask(engine: Engine, input: CompleteInput, call: Admitted): Promise<Verdict> {
  const proofs = new Map<string, Evidence | { readonly error: string }>();
  const judgements = new Map<string, Judgement | { readonly error: string }>();
  // Commands take time: the call completes the attempt that was current when it was made.
  const epoch = call.epoch ?? (await engine.ledger.task(input.task))?.epoch;
  const bound = epoch === undefined ? call : { ...call, epoch };
  return settle(engine, { operation: "complete", input, call }, () =>
    decideComplete(engine, { input, call: bound, proofs, judgements }),
  );
}

interface Completion {
  readonly input: CompleteInput;
  readonly call: Admitted;
  /** Results of commands that have already run, so that a retry of the decision does not run them twice. */
  readonly proofs: Map<string, Evidence | { readonly error: string }>;
  readonly judgements: Map<string, Judgement | { readonly error: string }>;
}

async function decideComplete(engine: Engine, completion: Completion): Promise<Settled> {
  const { input, call, proofs } = completion;
  const loaded = await loadTask(engine, input.task);
  if (loaded === undefined) return { verdict: unknownTask(input.task) };
  const { task, attempt } = loaded;
  // Only the epoch is checked: work in review has no lease.
  const stale = checkEpoch(engine, task.key, attempt, call);
  if (stale !== undefined) return { verdict: stale };
  const illegal = whyNotMergeable(engine, task, call);
  if (illegal !== undefined) return { verdict: illegal };
  const required = requiredOf(task, input.document);
  const commands = commandsIn(required);
  if (commands.length > 0 && input.commit === undefined) return { verdict: needsCommit(required) };
  for (const command of commands)
    if (!proofs.has(command))
      proofs.set(
        command,
        command === ""
          ? { error: "it has no command" }
          : await engine.prove(input.commit ?? "", command, task.key),
      );
  const unrun = [...proofs].find(([, proof]) => "error" in proof);
  if (unrun !== undefined) return { verdict: notRun(...unrun) };
  const checks = [...claimsOf(task, input.document), ...provenChecks(required, proofs)];
  const payload = { task_id: task.key, acceptance_check: checks, required_criteria: required };
  const decided = await decide(rules, factsOf(payload));
  const weakened = decided.allow ? await judgeTests(engine, completion, task) : undefined;
  if (weakened?.waiting === true) {
    const { refused } = weakened;
    return { verdict: { ...refused, details: { ...refused.details, waiting: true } } };
  }
  const verdict = weakened?.refused ?? (decided.allow ? decided : withOutput(decided, proofs));
  const draft = new Draft(engine, { by: call, cause: "complete" }).seen(loaded);
  const evidence = [...proofs.values()].filter((proof): proof is Evidence => !("error" in proof));
  const proven = { ...task, evidence };
  const moved = verdict.allow
    ? await draft.apply(proven, mergeEvent(input, required))
    : await draft.apply(proven, rejectEvent(verdict), "system");
  if ("allow" in moved) return { verdict: moved };
  const details = { task_id: task.key, state: moved.state, proof: moved.proof, evidence };
  const answer = verdict.allow
    ? allow(details)
    : { ...verdict, details: { ...verdict.details, state: moved.state, fix_delta: moved.fixDelta } };
  return { verdict: answer, change: await draft.toChange() };
}

/** INV-10, for work that another program merges: the tests of the commit that it was dispatched on judge it. */
async function judgeTests(
  engine: Engine,
  { input: { commit, judge }, call, proofs, judgements }: Completion,
  { key, base }: Task,
): Promise<{ readonly refused: Deny; readonly waiting: boolean } | undefined> {
  if (commit === undefined || base === undefined || judge === false || proofs.size === 0) return undefined;
  const judgement = judgements.get(commit) ?? (await engine.judge(base, commit, [...proofs.keys()]));
  judgements.set(commit, judgement);
  if ("error" in judgement) return { refused: deny("R-PC-003", judgement.error), waiting: true };
  const work = {
    ...{ task: key, commit, weaken: engine.limits.weakenTests },
    ...{ fix: "fix it and complete the task again", next: "complete it again" },
  };
  const settled = await settleJudgement(engine, work, judgement, call);
  return "refused" in settled ? settled : undefined;
}

/** Checked before any command is run. */
function whyNotMergeable({ limits }: Engine, task: Task, call: Admitted): Deny | undefined {
  const tried = advance(task, { type: "merge", commit: null, proof: "claimed" }, { by: call.role, limits });
  return "allow" in tried ? tried : undefined;
}

function mergeEvent({ commit }: CompleteInput, required: readonly string[]) {
  const proof = required.length > 0 && required.every(isCommand) ? "proven" : "claimed";
  return { type: "merge", commit: commit ?? null, proof } as const;
}

function rejectEvent(verdict: Deny) {
  const fingerprint = fingerprintOf(refusalOf(verdict));
  return { type: "reject", fixDelta: fixDeltaOf(verdict), fingerprint } as const;
}

function requiredOf({ assignment }: Task, document: unknown): readonly string[] {
  const more = field(document, "required_criteria");
  return [...new Set([...(assignment?.acceptance_criteria ?? []), ...(isTextList(more) ? more : [])])];
}

/** The claims about criteria that are not commands; a claim about a command proves nothing. */
function claimsOf({ result }: Task, document: unknown): readonly unknown[] {
  const claims = field(document, "acceptance_check") ?? acceptanceCheckIn(result);
  if (!Array.isArray(claims)) return [];
  return claims.filter((check) => {
    const criterion = field(check, "criterion");
    return typeof criterion !== "string" || !isCommand(criterion);
  });
}

function provenChecks(required: readonly string[], proofs: Completion["proofs"]): readonly unknown[] {
  return required.flatMap((criterion) => {
    const read = readCriterion(criterion);
    if (read.kind !== "command") return [];
    const proof = proofs.get(read.command);
    if (proof === undefined || "error" in proof)
      return { criterion, status: `not run: ${proof?.error ?? "unknown"}`, evidence: "none" };
    const evidence = `exit ${proof.exit} on tree ${proof.tree} in ${proof.seconds} s, output ${proof.digest}`;
    const status = proof.flaky ?? (proof.exit === 0 ? "pass" : `exit ${proof.exit}`);
    return { criterion, status, evidence };
  });
}

/** Adds the output of the first command that failed. */
function withOutput(refused: Deny, proofs: Completion["proofs"]): Deny {
  for (const [command, proof] of proofs) {
    if ("error" in proof || (proof.exit === 0 && proof.flaky === undefined)) continue;
    const { excerpt, tail, log } = proof;
    const printed = { command, output: excerpt ?? tail, ...(log === undefined ? {} : { log }) };
    return { ...refused, details: { ...refused.details, ...printed } };
  }
  return refused;
}

/** A check that could not run says nothing about the work, so the task keeps its state. */
function notRun(command: string, proof: Evidence | { readonly error: string }): Deny {
  const why = "error" in proof ? proof.error : "";
  return deny("R-PC-003", `criterion \`cmd: ${command}\` could not be run: ${why}`, { command });
}

function needsCommit(required: readonly string[]): Deny {
  const criterion = required.find(isCommand);
  return deny("R-PC-003", `criterion \`${criterion}\` needs a commit to run on: add \`--commit SHA\``, {
    criterion,
  });
}
