import type { CheckRecord } from "../core/proof/check-record.ts";
import { touchesTests } from "../core/proof/weakened-checks.ts";
import { type Deny, deny } from "../core/rules/verdict.ts";
import { askVacuous } from "../engine/ask-vacuous.ts";
import { type GateResult, gateResult } from "../proof/gate/gate-result.ts";
import type { Prover } from "../proof/prover.ts";
import type { Candidate } from "./candidate.ts";
import { findGuilty } from "./find-guilty.ts";
import type { IntegrationContext } from "./integration.ts";
import type { IntegrationRef } from "./integration-ref.ts";
import { passManual } from "./manual-checks.ts";
import { addLink, type Link } from "./merge-chain.ts";
import { openProver } from "./open-prover.ts";
import { ChecksProof, projectChecks, type WantedCheck } from "./prove-checks.ts";
import { needConventions, runGate, whyGateFails } from "./run-gate.ts";

export interface ProvenLink extends Link {
  readonly evidence: readonly CheckRecord[];
}

/** A candidate that is left out, and why. */
interface LeftOut {
  readonly candidate: Candidate;
  readonly refused: Deny;
  /** Only a person can decide. */
  readonly waiting: boolean;
  readonly evidence: readonly CheckRecord[];
  /** What the gate said, where it was asked. */
  readonly gate?: readonly GateResult[];
}

export interface ProvenChain {
  readonly links: readonly ProvenLink[];
  readonly out: readonly LeftOut[];
  readonly gate: readonly GateResult[];
}

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
  const checks = new ChecksProof({ prover, base, flaky: config.checks.flaky, allowRed, onProgress });
  const red = await checks.findRedBase([...project, ...full]);
  if (red !== undefined)
    return { links: [], gate: [], out: candidates.map((candidate) => leftOut(candidate, red, true)) };
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

interface Proving {
  readonly context: IntegrationContext;
  readonly prover: Prover;
  readonly checks: ChecksProof;
  /** Run on every merge, and those that only the last one needs. */
  readonly project: readonly WantedCheck[];
  readonly full: readonly WantedCheck[];
  readonly ref: IntegrationRef;
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
    if (wanted.length + candidate.manual.length === 0) return leftOut(candidate, unproven);
    const proof = await prove(proving, [...links, link], wanted);
    if ("refused" in proof) {
      const { refused, records, failed, waiting = false } = proof;
      if (failed === undefined) return { candidate, refused, waiting, evidence: records };
      return blame(proving, { links, last: { ...link, evidence: records }, failed, refused });
    }
    const manual = await passManual(context, candidate, link.tree);
    if ("refused" in manual) return { candidate, ...manual, evidence: proof.records };
    links.push({ ...link, evidence: [...proof.records, ...manual.records] });
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

function isAmong(checks: readonly WantedCheck[], wanted: string): boolean {
  return checks.some(({ command }) => command === wanted);
}

const unproven = deny(
  "R-PC-003",
  "nothing would prove this: no test command was found; name one with --check, or list it under `checks.default`",
);

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

interface Failure {
  readonly links: readonly ProvenLink[];
  readonly last: ProvenLink;
  readonly failed: string;
  readonly refused: Deny;
}

/** A check of one can fail through what another changed: only that one leaves. */
async function blame({ context, checks }: Proving, failure: Failure): Promise<LeftOut> {
  const { links, last, failed, refused } = failure;
  const { root, baseCommit: base } = context.repository;
  const guilty = await findGuilty({
    root,
    base,
    candidates: [...links, last].map(({ candidate }) => candidate),
    fails: (commit, merged) => checks.fails(commit, failed, changeOf(context, merged)),
  });
  const own = last.candidate.checks.some(({ command }) => command === failed);
  if (guilty === last.candidate || !(own || isVictim(last.candidate, guilty)))
    return {
      ...leftOut(last.candidate, withOther(refused, guilty, last.candidate)),
      evidence: last.evidence,
    };
  return broke(guilty, last.candidate, { what: `\`${failed}\``, refused, links });
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

interface TipFailure {
  readonly links: readonly ProvenLink[];
  readonly refused: Deny;
  readonly what: string;
  readonly fails: Parameters<typeof findGuilty>[0]["fails"];
}

/** First the merge from which on it fails, then whose change makes that one fail. */
async function blameTip({ context }: Proving, { links, refused, what, fails }: TipFailure): Promise<LeftOut> {
  const { root, baseCommit: base } = context.repository;
  let count = 1;
  const candidates = links.map(({ candidate }) => candidate);
  while (count < links.length && !(await fails(links[count - 1]?.commit ?? base, candidates.slice(0, count))))
    count += 1;
  const failing = candidates.slice(0, count);
  const guilty = await findGuilty({ root, base, candidates: failing, fails });
  const last = failing.at(-1) as Candidate;
  if (guilty === last || !isVictim(last, guilty))
    return withEvidence(links, last, withOther(refused, guilty, last));
  return broke(guilty, last, { what, refused, links });
}

/** Two that hold alone and not together: whose tests they are is who was broken; else the later one has to adapt. */
function isVictim(one: Candidate, other: Candidate): boolean {
  return touchesTests(one.changed) && !touchesTests(other.changed);
}

function withOther(refused: Deny, other: Candidate, own: Candidate): Deny {
  if (other === own) return refused;
  return { ...refused, details: { ...refused.details, with: other.task ?? other.branch } };
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

function broke(
  guilty: Candidate,
  other: Candidate,
  {
    what,
    refused,
    links,
  }: { readonly what: string; readonly refused: Deny; readonly links: readonly ProvenLink[] },
): LeftOut {
  const whose = other.task ?? other.branch;
  const way = guilty.session === null ? "mend it, then land again" : "mend it and hand it in again";
  const reason = `${what} of \`${whose}\` fails with this change and holds without it: ${way}`;
  return withEvidence(links, guilty, deny("R-GT-001", reason, { ...refused.details, breaks: whose }));
}

function withEvidence(links: readonly ProvenLink[], candidate: Candidate, refused: Deny): LeftOut {
  const evidence = links.find((link) => link.candidate === candidate)?.evidence ?? [];
  return { ...leftOut(candidate, refused), evidence };
}

function leftOut(candidate: Candidate, refused: Deny, waiting = false): LeftOut {
  return { candidate, refused, waiting, evidence: [] };
}

function changeOf({ repository }: IntegrationContext, merged: readonly Candidate[]) {
  return { base: repository.baseCommit, changed: merged.flatMap(({ changed }) => changed) };
}
