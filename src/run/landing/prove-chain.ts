import type { CheckRecord } from "../../core/proof/check-record.ts";
import { untouched } from "../../core/proof/weakening.ts";
import { deny } from "../../core/rules/verdict.ts";
import { askVacuous } from "../../engine/decisions/ask-vacuous.ts";
import { type GateResult, gateResult } from "../../proof/gate/gate-result.ts";
import { lostOnTip } from "../../proof/judgement/judge-change.ts";
import { flakyProofs } from "../../workspace/git/last-proofs.ts";
import { blame, blameTip } from "./blame.ts";
import type { Candidate } from "./candidate.ts";
import type { IntegrationContext } from "./integration.ts";
import type { IntegrationRef } from "./integration-ref.ts";
import { judgeLink, settleLost } from "./judge-link.ts";
import { passManual } from "./manual-checks.ts";
import { addLink, type Link } from "./merge-chain.ts";
import { openProver } from "./open-prover.ts";
import { ChecksProof, isAmong, projectChecks, type WantedCheck, whyNoChecks } from "./prove-checks.ts";
import {
  changeOf,
  type LeftOut,
  leftOut,
  type ProvenChain,
  type ProvenLink,
  type Proving,
} from "./proving.ts";
import { needConventions, runGate, whyGateFails } from "./run-gate.ts";

/** Merges and proves until what is left holds together. What was proven once is not run again for the same tree. */
export async function proveChain(
  context: IntegrationContext,
  candidates: readonly Candidate[],
  ref: IntegrationRef,
): Promise<ProvenChain> {
  using prover = await openProver(context);
  const { config, repository, onProgress, allowRed = false } = context;
  const base = repository.baseCommit;
  await needConventions(repository.root, base);
  const project = await projectChecks(repository.root, base, config.checks.default);
  const full = await projectChecks(repository.root, base, config.checks.full);
  const checks = new ChecksProof({
    ...{ prover, base, flaky: config.checks.flaky, allowRed, onProgress },
    flakyBefore: () => flakyProofs(repository.root, base),
  });
  const unrun = await checks.readBase([...project, ...full]);
  if (unrun !== undefined)
    return { links: [], gate: [], out: candidates.map((candidate) => leftOut(candidate, unrun, true)) };
  const proving: Proving = { context, prover, checks, project, full, ref };
  const out: LeftOut[] = [];
  for (let left = candidates; ; ) {
    const tried = await tryChain(proving, left);
    if ("links" in tried) return { ...tried, gate: tried.links.length > 0 ? tried.gate : gateIn(out), out };
    out.push(tried);
    left = left.filter((one) => one !== tried.candidate);
  }
}

function gateIn(out: readonly LeftOut[]): readonly GateResult[] {
  return out.findLast(({ gate }) => gate !== undefined)?.gate ?? [];
}

/** The chain of all of them, proven; or the one that has to leave before it is tried again. */
async function tryChain(
  proving: Proving,
  candidates: readonly Candidate[],
): Promise<Pick<ProvenChain, "links" | "gate"> | LeftOut> {
  const { context, project } = proving;
  const links: ProvenLink[] = [];
  for (const candidate of candidates) {
    const link = await addLink(context, links, candidate);
    if ("allow" in link) return leftOut(candidate, link);
    await proving.ref.keep(link.commit);
    const own = candidate.checks.filter(
      ({ command, kind }) => kind === "proves" || !isAmong(project, command),
    );
    const wanted = [...project, ...own];
    if (wanted.length + candidate.manual.length === 0)
      return leftOut(candidate, await unproven(context.repository));
    const proof = await prove(proving, [...links, link], wanted);
    if ("refused" in proof) {
      const { refused, records, failed, waiting = false } = proof;
      if (failed === undefined) return { candidate, refused, waiting, evidence: records };
      return blame(proving, {
        links,
        last: { ...link, evidence: records, judged: untouched },
        failed,
        refused,
      });
    }
    const told = await judgeLink(proving, { links, link, passed: proof.passed });
    const evidence = [...proof.records, ...told.records];
    if ("refused" in told) return { candidate, refused: told.refused, waiting: told.waiting, evidence };
    const manual = await passManual(context, candidate, link.tree);
    if ("refused" in manual) return { candidate, ...manual, evidence };
    links.push({ ...link, evidence: [...evidence, ...manual.records], judged: told.judged });
  }
  const last = links.at(-1);
  if (last === undefined) return { links, gate: [] };
  const tip = await proveTip(proving, links);
  if ("out" in tip) return tip.out;
  return {
    links: [...links.slice(0, -1), { ...last, evidence: [...last.evidence, ...tip.records] }],
    gate: tip.gate,
  };
}

async function unproven({ root, baseCommit }: IntegrationContext["repository"]) {
  const why = await whyNoChecks(root, baseCommit);
  return deny(
    "R-PC-003",
    `nothing would prove this: ${why}; name a command with --check, or list it under \`checks.default\``,
  );
}

/** The checks of the last one, on the tree of all of them. */
function prove({ checks, context }: Proving, links: readonly Link[], wanted: readonly WantedCheck[]) {
  const { candidate, commit } = links.at(-1) as Link;
  return checks.prove(commit, wanted, {
    change: changeOf(
      context,
      links.map((link) => link.candidate),
    ),
    approves: (command) => approval(context, candidate, command),
    ofRun: candidate.session !== null,
  });
}

async function approval(context: IntegrationContext, { task, branch, commit }: Candidate, command: string) {
  const { engine, call, dryRun } = context;
  const asked = { task: task ?? branch, command, commit };
  const decision = await askVacuous(engine, asked, { ...call, dryRun });
  const answer = decision?.answer;
  return answer === "approved" || answer === "refused" ? answer : { waitingFor: decision?.id };
}

/** The gate and the checks that only it runs, on the last merge. */
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
    return { out: await blameTip(proving, { links, refused, what: `\`${failed}\``, fails }) };
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
  return { out: { ...(await blameTip(proving, { links, refused, what: "the gate", fails })), gate } };
}

async function gateOn(
  { context, prover, project, full }: Proving,
  commit: string,
  links: readonly Link[],
): Promise<readonly GateResult[]> {
  const { config, repository, onProgress, allowRed = false } = context;
  // What was proven before needed no checkout; the gate looks for packages in one.
  const prepared = await prover.prepare(commit);
  if ("error" in prepared) return [gateResult("tests", [{ path: ".", message: prepared.error }])];
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
