import { type Deny, deny } from "../../core/rules/verdict.ts";
import type { Candidate } from "./candidate.ts";
import { tryLinks } from "./merge-chain.ts";
import { isAmong } from "./prove-checks.ts";
import { changeOf, type LeftOut, leftOut, type ProvenLink, type Proving } from "./proving.ts";

export interface Failure {
  readonly links: readonly ProvenLink[];
  readonly last: ProvenLink;
  readonly failed: string;
  readonly refused: Deny;
}

/**
 * In a queue the earlier change wins and the later one adapts, unless the earlier one fails the project's own checks
 * alone on the base.
 */
export async function blame({ context, checks, project }: Proving, failure: Failure): Promise<LeftOut> {
  const { links, last, failed, refused } = failure;
  const { root, baseCommit: base } = context.repository;
  const fails = (commit: string, merged: readonly Candidate[]) =>
    checks.fails(commit, failed, changeOf(context, merged));
  const candidates = [...links, last].map(({ candidate }) => candidate);
  const other = await findGuilty({ root, base, candidates, fails });
  const isProjects = isAmong(project, failed);
  if (other !== last.candidate && isProjects && (await failsAlone({ root, base, other, fails })))
    return broke(other, last.candidate, { what: `\`${failed}\``, refused, links });
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
  readonly fails: Parameters<typeof findGuilty>[0]["fails"];
}

/** The merge from which on it fails: what came before it holds. */
export async function blameTip(
  { context }: Proving,
  { links, refused, what, fails }: TipFailure,
): Promise<LeftOut> {
  const { root, baseCommit: base } = context.repository;
  let count = 1;
  const candidates = links.map(({ candidate }) => candidate);
  while (count < links.length && !(await fails(links[count - 1]?.commit ?? base, candidates.slice(0, count))))
    count += 1;
  const failing = candidates.slice(0, count);
  const other = await findGuilty({ root, base, candidates: failing, fails });
  const last = failing.at(-1) as Candidate;
  if (other !== last && (await failsAlone({ root, base, other, fails })))
    return broke(other, last, { what, refused, links });
  return withEvidence(links, last, withOther(refused, other, last));
}

function withOther(refused: Deny, other: Candidate, own: Candidate): Deny {
  if (other === own) return refused;
  return { ...refused, details: { ...refused.details, with: other.task ?? other.branch } };
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
  const way = guilty.session === null ? "fix it, then land again" : "fix it and hand it in again";
  const reason = `${what} of \`${whose}\` fails with this change and holds without it: ${way}`;
  return withEvidence(links, guilty, deny("R-GT-001", reason, { ...refused.details, breaks: whose }));
}

function withEvidence(links: readonly ProvenLink[], candidate: Candidate, refused: Deny): LeftOut {
  const evidence = links.find((link) => link.candidate === candidate)?.evidence ?? [];
  return { ...leftOut(candidate, refused), evidence };
}

interface Replay {
  readonly root: string;
  readonly base: string;
  /** In their order; together they fail. */
  readonly candidates: readonly Candidate[];
  /** Whether what failed fails on a commit that has these merged. */
  fails(commit: string, merged: readonly Candidate[]): Promise<boolean>;
}

/**
 * Replays the merges one at a time. The last one is guilty if it fails on the base alone; if not, then the one
 * with which it begins to fail.
 */
async function findGuilty({ root, base, candidates, fails }: Replay): Promise<Candidate> {
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
