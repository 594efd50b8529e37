import type { CheckRecord } from "../../../core/proof/check-record.ts";
import { ProofWindow } from "../../../core/proof/proof-window.ts";
import { untouched } from "../../../core/proof/weakening.ts";
import { deny } from "../../../core/rules/verdict.ts";
import { askVacuous } from "../../../engine/decisions/ask-vacuous.ts";
import type { GateResult } from "../../../proof/gate/gate-result.ts";
import { lostOnTip } from "../../../proof/judgement/judge-change.ts";
import type { ProofSharing } from "../../../proof/proof-sharing.ts";
import { flakyProofs } from "../../../workspace/git/last-proofs.ts";
import type { Candidate } from "../candidate.ts";
import { openProver } from "../checks/open-prover.ts";
import {
  ChecksProof,
  isAmong,
  projectChecks,
  type VacuousCheck,
  type WantedCheck,
  whyNoChecks,
} from "../checks/prove-checks.ts";
import { needConventions, runGate, whyGateFails } from "../checks/run-gate.ts";
import { shareProofs } from "../evidence/share-proofs.ts";
import { pushedTo } from "../fresh-base.ts";
import type { IntegrationContext } from "../integration.ts";
import { type IntegrationRef, provesTogether } from "../integration-ref.ts";
import { findCause, findTipCause } from "./find-cause.ts";
import { judgeLink, linkTouchesTests, settleLost } from "./judge-link.ts";
import { passManual } from "./manual-checks.ts";
import { addLink, type Link } from "./merge-chain.ts";
import {
  changeOf,
  type LeftOut,
  leftOut,
  type ProvenChain,
  type ProvenLink,
  type Proving,
} from "./proving.ts";

/*
 * Proves a chain of candidates.
 *
 * The candidates are merged one onto the other, on no branch. Each merge is a link, and the last one is the tip. There
 * are two ways to prove the chain:
 * - `proveEach` runs the project's checks and the candidate's own checks on every link; ahead where that is possible.
 * - `proveAtTip` (`proof: tip`) runs the project's checks only on the tip and on links that touch tests. All other links
 *   get their own checks. Everything runs in parallel. If the project's checks fail, the chain is proven by `proveEach`.
 * The gate and the full checks run on the tip in both cases.
 *
 * A candidate that fails is left out, and the rest of the chain is tried again. find-cause.ts chooses the candidate if
 * the failure may come from a combination of several.
 */

/** Merges and proves candidates, without those that fail, until a chain passes. No check runs twice on the same tree. */
export async function proveChain(
  context: IntegrationContext,
  candidates: readonly Candidate[],
  ref: IntegrationRef,
): Promise<ProvenChain> {
  await using prover = await openProver(context, sharing(context, ref));
  const { config, repository, onProgress, allowRed = false } = context;
  const base = repository.baseCommit;
  await needConventions(repository.root, base);
  const project = await projectChecks(repository.root, base, config.checks.default);
  const full = await projectChecks(repository.root, base, config.checks.full);
  const checks = new ChecksProof({
    ...{ root: repository.root, prover, base, flaky: config.checks.flaky, allowRed, onProgress },
    flakyBefore: () => flakyProofs(repository.root, base),
  });
  const unrun = await checks.readBase([...project, ...full]);
  if (unrun !== undefined)
    return { links: [], gate: [], out: candidates.map((candidate) => leftOut(candidate, unrun, true)) };
  const proving: Proving = { context, prover, checks, project, full, ref, window: new ProofWindow() };
  const out: LeftOut[] = [];
  for (let left = candidates; ; ) {
    const tried = await tryChain(proving, left);
    if ("links" in tried) {
      const { links, gate, skipped } = tried;
      return { links, gate: links.length > 0 ? gate : gateIn(out), out: [...out, ...skipped] };
    }
    out.push(tried);
    left = left.filter((one) => one !== tried.candidate);
  }
}

function sharing(context: IntegrationContext, ref: IntegrationRef): ProofSharing | undefined {
  const { engine, call, repository, dryRun } = context;
  if (!provesTogether(context) || dryRun) return undefined;
  const { base, baseCommit } = repository;
  const baseRef = pushedTo(context) === undefined ? undefined : `refs/heads/${base}`;
  return shareProofs({
    ...{ engine, call },
    refOf: (commit) => (commit === baseCommit ? baseRef : ref.sharedRefOf(commit)),
  });
}

function gateIn(out: readonly LeftOut[]): readonly GateResult[] {
  return out.findLast(({ gate }) => gate !== undefined)?.gate ?? [];
}

/** The proven chain; or the candidate to leave out before the next try. */
async function tryChain(proving: Proving, candidates: readonly Candidate[]): Promise<TriedChain | LeftOut> {
  const { config, onProgress } = proving.context;
  const isTip = config.proof === "tip" && config.integrate !== "none" && proving.project.length > 0;
  if (!isTip || candidates.length < 2) return proveEach(proving, candidates);
  const tried = await proveAtTip(proving, candidates);
  if (!("unclear" in tried)) return tried;
  onProgress(`the ${candidates.length} changes do not all pass together: proving them one by one`);
  return proveEach(proving, candidates);
}

interface TriedChain extends Pick<ProvenChain, "links" | "gate"> {
  /** Candidates that cannot be merged after the proven ones. */
  readonly skipped: readonly LeftOut[];
}

/**
 * Proves every merge by the project's checks and its own. If checks can run ahead, here or on other machines, those of the
 * next merges run at the same time, on the assumption that this one passes.
 */
async function proveEach(proving: Proving, candidates: readonly Candidate[]): Promise<TriedChain | LeftOut> {
  const { context, prover, ref, window } = proving;
  const ahead = prover.runsAhead ? await mergeAll(proving, candidates) : undefined;
  const planned = ahead?.merged.map((link) => ({ link, wanted: allChecks(proving, link.candidate) })) ?? [];
  startChecks(proving, planned, { from: 0, to: window.size });
  const links: ProvenLink[] = [];
  for (const [at, candidate] of (ahead?.merged.map((link) => link.candidate) ?? candidates).entries()) {
    const link = planned[at]?.link ?? (await addLink(context, links, candidate));
    if ("allow" in link) return leftOut(candidate, link);
    if (ahead === undefined) await ref.keep([link.commit]);
    const wanted = allChecks(proving, candidate);
    if (wanted.length + candidate.manual.length === 0)
      return leftOut(candidate, await unproven(context.repository));
    const proven = await proveLink(proving, links, { link, wanted });
    if (!("refused" in proven)) {
      links.push(proven);
      const before = at + window.size;
      window.passed();
      startChecks(proving, planned, { from: before, to: at + 1 + window.size });
      continue;
    }
    window.failed();
    prover.dropAhead();
    if (proven.failed === undefined) return proven;
    return findCause(proving, {
      links,
      last: { ...link, evidence: proven.evidence, judged: untouched },
      failed: proven.failed,
      refused: proven.refused,
    });
  }
  return closeChain(proving, links, ahead?.skipped ?? []);
}

function allChecks(proving: Proving, candidate: Candidate): readonly WantedCheck[] {
  return [...proving.project, ...ownChecks(proving, candidate)];
}

/** Proves the chain by its tip. `unclear`: a check failed, and any of the changes may be the cause. */
async function proveAtTip(
  proving: Proving,
  candidates: readonly Candidate[],
): Promise<TriedChain | LeftOut | { readonly unclear: true }> {
  const { merged, skipped } = await mergeAll(proving, candidates);
  const planned = await planChecks(proving, merged);
  // The tip's first: its checks decide for all.
  startChecks(proving, planned, { from: planned.length - 1, to: planned.length });
  startChecks(proving, planned, { from: 0, to: planned.length - 1 });
  const links: ProvenLink[] = [];
  for (const one of planned) {
    const proven = await proveLink(proving, links, one);
    if (!("refused" in proven)) links.push(proven);
    else return proven.isOwn ? proven : { unclear: true };
  }
  return closeChain(proving, links, skipped);
}

/** Runs the gate and the full checks on the tip, and adds the tip's evidence to the other links. */
async function closeChain(
  proving: Proving,
  links: readonly ProvenLink[],
  skipped: readonly LeftOut[],
): Promise<TriedChain | LeftOut> {
  const last = links.at(-1);
  if (last === undefined) return { links, gate: [], skipped };
  const tip = await proveTip(proving, links);
  if ("out" in tip) return tip.out;
  const proven = [...links.slice(0, -1), { ...last, evidence: [...last.evidence, ...tip.records] }];
  return { links: proven.map((link) => withTip(link, last)), gate: tip.gate, skipped };
}

/** Project checks that did not run on a link's own merge ran on the tip; the record names the tip's tree (INV-4). */
function withTip(link: ProvenLink, tip: ProvenLink): ProvenLink {
  const missing = tip.evidence.filter(
    ({ kind, command }) => kind === "project" && !link.evidence.some((one) => one.command === command),
  );
  return { ...link, evidence: [...link.evidence, ...missing] };
}

interface PlannedLink {
  readonly link: Link;
  readonly wanted: readonly WantedCheck[];
}

interface NotProven extends LeftOut {
  /** The command that failed; another change may be the cause. */
  readonly failed?: string;
  /** No change that was merged before can be the cause. */
  readonly isOwn: boolean;
}

/** Proves one merge: its checks, the judgement of the base's tests, and its manual checks. */
async function proveLink(
  proving: Proving,
  links: readonly ProvenLink[],
  { link, wanted }: PlannedLink,
): Promise<ProvenLink | NotProven> {
  const { candidate, tree } = link;
  const proof = await prove(proving, [...links, link], wanted);
  if ("refused" in proof) {
    const { refused, records, failed, waiting = false } = proof;
    const command = failed === undefined ? {} : { failed };
    return { candidate, refused, waiting, evidence: records, isOwn: waiting, ...command };
  }
  const judgement = wanted.some(({ kind }) => kind === "project")
    ? await judgeLink(proving, { links, link, passed: proof.passed })
    : { judged: untouched, records: [] };
  const evidence = [...proof.records, ...judgement.records];
  if ("refused" in judgement) {
    const { refused, waiting } = judgement;
    return { candidate, refused, waiting, evidence, isOwn: false };
  }
  const manual = await passManual(proving.context, candidate, tree);
  if ("refused" in manual) return { candidate, ...manual, evidence, isOwn: true };
  return { ...link, evidence: [...evidence, ...manual.records], judged: judgement.judged };
}

/** A task's own checks, without those that are also the project's. */
function ownChecks({ project }: Proving, { checks }: Candidate): readonly WantedCheck[] {
  return checks.filter(({ command, kind }) => kind === "proves" || !isAmong(project, command));
}

/** Merges the candidates in order and skips those that conflict with earlier ones. */
async function mergeAll({ context, ref }: Proving, candidates: readonly Candidate[]) {
  const merged: Link[] = [];
  const skipped: LeftOut[] = [];
  for (const candidate of candidates) {
    const link = await addLink(context, merged, candidate);
    if ("allow" in link) skipped.push(leftOut(candidate, link));
    else merged.push(link);
  }
  await ref.keep(merged.map(({ commit }) => commit));
  return { merged, skipped };
}

/**
 * Which checks run on which merge if the tip is proven first. A merge whose successor may change tests is tested too:
 * otherwise the permission would also cover the tests that earlier changes lose.
 */
function planChecks(proving: Proving, links: readonly Link[]): Promise<readonly PlannedLink[]> {
  return Promise.all(
    links.map(async (link, at) => {
      const { candidate } = link;
      const next = links[at + 1]?.candidate;
      const isTested =
        next === undefined ||
        next.mayChangeTests.length > 0 ||
        (await linkTouchesTests(proving, links[at - 1], link));
      return {
        link,
        wanted: isTested ? allChecks(proving, candidate) : candidate.checks,
      };
    }),
  );
}

/** Starts the checks of some merges of a chain. At most as many run at once as there are proof slots. */
function startChecks(
  { context, prover }: Proving,
  planned: readonly PlannedLink[],
  { from, to }: { readonly from: number; readonly to: number },
): void {
  const base = context.repository.baseCommit;
  const merged = planned.map(({ link }) => link.candidate);
  const started = planned.slice(from, to).flatMap(({ link, wanted }, at) => {
    const change = changeOf(context, merged.slice(0, from + at + 1));
    return wanted.map((check) => ({ ...check, commit: link.commit, change }));
  });
  // The project's checks usually take longest: if they begin first, all machines end at about the same time.
  const projects = started.filter(({ kind }) => kind === "project");
  for (const { commit, command, change } of projects) prover.startAhead(commit, command, change);
  for (const { kind, commit, command, change } of started) {
    if (kind === "project") continue;
    prover.startAhead(commit, command, change);
    prover.startAhead(base, command);
  }
}

async function unproven({ root, baseCommit }: IntegrationContext["repository"]) {
  const why = await whyNoChecks(root, baseCommit);
  return deny(
    "R-PC-003",
    `no check would prove this change: ${why}; name a command with --check, or list it under \`checks.default\``,
  );
}

/** Runs the last candidate's checks on the merge of all. */
function prove({ checks, context }: Proving, links: readonly Link[], wanted: readonly WantedCheck[]) {
  const { candidate, commit } = links.at(-1) as Link;
  return checks.prove(commit, wanted, {
    change: changeOf(
      context,
      links.map((link) => link.candidate),
    ),
    approves: (check) => approval(context, candidate, check),
    ofRun: candidate.session !== null,
  });
}

async function approval(context: IntegrationContext, candidate: Candidate, check: VacuousCheck) {
  const { engine, call, dryRun } = context;
  const { task, branch, commit } = candidate;
  const asked = { task: task ?? branch, ...check, commit };
  const decision = await askVacuous(engine, asked, { ...call, dryRun });
  const answer = decision?.answer;
  return answer === "approved" || answer === "refused" ? answer : { waitingFor: decision?.id };
}

/** Runs the full checks and the gate on the last merge. */
async function proveTip(
  proving: Proving,
  links: readonly ProvenLink[],
): Promise<
  | { readonly out: LeftOut }
  | { readonly records: readonly CheckRecord[]; readonly gate: readonly GateResult[] }
> {
  const { context, full } = proving;
  const last = links.at(-1) as ProvenLink;
  const proof = await prove(proving, links, full);
  if ("refused" in proof) {
    const { refused, records, failed, waiting = false } = proof;
    const alone = { candidate: last.candidate, refused, waiting, evidence: records };
    if (failed === undefined) return { out: alone };
    const fails = (commit: string, merged: readonly Candidate[]) =>
      proving.checks.fails(commit, failed, changeOf(context, merged));
    return { out: await findTipCause(proving, { links, refused, what: `\`${failed}\``, fails }) };
  }
  const lost = await settleLost(context, links, lostOnTip(proof.passed));
  if (lost !== undefined) return { out: lost };
  const gate = await gateOn(proving, last.commit, links);
  const refused = whyGateFails(gate);
  if (refused === undefined) return { records: proof.records, gate };
  const fails = async (commit: string, merged: readonly Candidate[]) =>
    whyGateFails(
      await gateOn(
        proving,
        commit,
        links.filter(({ candidate }) => merged.includes(candidate)),
      ),
    ) !== undefined;
  return { out: { ...(await findTipCause(proving, { links, refused, what: "the gate", fails })), gate } };
}

async function gateOn(
  { context, prover, project, full }: Proving,
  commit: string,
  links: readonly Link[],
): Promise<readonly GateResult[]> {
  const { config, repository, onProgress, allowRed = false } = context;
  return runGate({
    root: repository.root,
    base: repository.baseCommit,
    result: commit,
    members: links.map(({ candidate, diff }) => ({ task: candidate.task ?? candidate.branch, diff })),
    gate: config.gate,
    prover,
    tested: project.length + full.length > 0,
    allowRed,
    flaky: config.checks.flaky,
    onProgress,
  });
}
