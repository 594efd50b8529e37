import { type Deny, deny } from "../../../core/rules/verdict.ts";
import type { Candidate } from "../candidate.ts";
import { isAmong } from "../checks/prove-checks.ts";
import { tryLinks } from "./merge-chain.ts";
import { changeOf, type LeftOut, leftOut, type ProvenLink, type Proving } from "./proving.ts";

/*
 * Which change of a chain is the cause of a failing check.
 *
 * A check fails on the merge of the last change of a chain. The cause is that change itself, or an earlier one that it
 * does not fit together with. To find out, the last change is merged and checked again on the base alone, then on the
 * base with the first change, with the first two, and so on. If the check fails on the base alone, the last change is
 * the cause. Otherwise the cause is the earlier change with which the check begins to fail.
 *
 * Which of the two is left out then: as in any merge queue the earlier change wins and the later one adapts. The earlier
 * change is left out only if it fails the project's check alone on the base.
 */

export interface Failure {
  readonly links: readonly ProvenLink[];
  readonly last: ProvenLink;
  readonly failed: string;
  readonly refused: Deny;
}

/** The change to leave out after a check failed on the merge of the last one. */
export async function findCause({ context, checks, project }: Proving, failure: Failure): Promise<LeftOut> {
  const { links, last, failed, refused } = failure;
  const { root, baseCommit: base } = context.repository;
  const fails = (commit: string, merged: readonly Candidate[]) =>
    checks.fails(commit, failed, changeOf(context, merged));
  const candidates = [...links, last].map(({ candidate }) => candidate);
  const other = await firstFailingWith({ root, base, candidates, fails });
  const isProjects = isAmong(project, failed);
  if (other !== last.candidate && isProjects && (await failsAlone({ root, base, other, fails })))
    return leaveOutEarlier(other, last.candidate, { what: `\`${failed}\``, refused, links });
  return { ...leftOut(last.candidate, withOther(refused, other, last.candidate)), evidence: last.evidence };
}

async function failsAlone({
  root,
  base,
  other,
  fails,
}: Pick<TipFailure, "fails"> & { readonly root: string; readonly base: string; readonly other: Candidate }) {
  const commit = await tryLinks(root, base, [other]);
  return commit === undefined || (await fails(commit, [other]));
}

interface TipFailure {
  readonly links: readonly ProvenLink[];
  readonly refused: Deny;
  readonly what: string;
  readonly fails: Parameters<typeof firstFailingWith>[0]["fails"];
}

/** The same for a failure on the tip: the first merge on which it fails is the last change of the search. */
export async function findTipCause(
  { context }: Proving,
  { links, refused, what, fails }: TipFailure,
): Promise<LeftOut> {
  const { root, baseCommit: base } = context.repository;
  let count = 1;
  const candidates = links.map(({ candidate }) => candidate);
  while (count < links.length && !(await fails(links[count - 1]?.commit ?? base, candidates.slice(0, count))))
    count += 1;
  const failing = candidates.slice(0, count);
  const other = await firstFailingWith({ root, base, candidates: failing, fails });
  const last = failing.at(-1) as Candidate;
  if (other !== last && (await failsAlone({ root, base, other, fails })))
    return leaveOutEarlier(other, last, { what, refused, links });
  return withEvidence(links, last, withOther(refused, other, last));
}

function withOther(refused: Deny, other: Candidate, own: Candidate): Deny {
  if (other === own) return refused;
  return { ...refused, details: { ...refused.details, with: other.task ?? other.branch } };
}

function leaveOutEarlier(
  cause: Candidate,
  other: Candidate,
  {
    what,
    refused,
    links,
  }: { readonly what: string; readonly refused: Deny; readonly links: readonly ProvenLink[] },
): LeftOut {
  const whose = other.task ?? other.branch;
  const next = cause.session === null ? "fix it, then land again" : "fix it and hand it in again";
  const reason = `${what} of \`${whose}\` fails with this change and passes without it: ${next}`;
  return withEvidence(links, cause, deny("R-GT-001", reason, { ...refused.details, breaks: whose }));
}

function withEvidence(links: readonly ProvenLink[], candidate: Candidate, refused: Deny): LeftOut {
  const evidence = links.find((link) => link.candidate === candidate)?.evidence ?? [];
  return { ...leftOut(candidate, refused), evidence };
}

interface Replay {
  readonly root: string;
  readonly base: string;
  /** In merge order. The check fails on the merge of all of them. */
  readonly candidates: readonly Candidate[];
  /** Whether the check fails on a commit with these candidates merged. */
  fails(commit: string, merged: readonly Candidate[]): Promise<boolean>;
}

/** The candidate with which the last one begins to fail; the last one itself if it fails on the base alone. */
async function firstFailingWith({ root, base, candidates, fails }: Replay): Promise<Candidate> {
  const last = candidates.at(-1) as Candidate;
  const before = candidates.slice(0, -1);
  for (let count = 0; count < before.length; count += 1) {
    const merged = [...before.slice(0, count), last];
    const commit = await tryLinks(root, base, merged);
    if (commit === undefined || !(await fails(commit, merged))) continue;
    return before[count - 1] ?? last;
  }
  return before.at(-1) ?? last;
}
