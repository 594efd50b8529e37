import { type Deny, deny } from "../../../core/rules/verdict.ts";
import { commitTree } from "../../../workspace/git/commit-writer.ts";
import { mergeTrees } from "../../../workspace/git/merge-commits.ts";
import { type ChangedPath, readDiff } from "../../../workspace/git/read-diff.ts";
import { type Candidate, conflict } from "../candidate.ts";
import type { IntegrationContext } from "../integration.ts";
import { findOutsideScope } from "./judge-diff.ts";

/** A candidate merged onto the ones before it. The merge is on no branch. */
export interface Link {
  readonly candidate: Candidate;
  readonly commit: string;
  readonly tree: string;
  /** What the merge changes. It can differ from the candidate's diff, because git follows renamed folders. */
  readonly diff: readonly ChangedPath[];
}

/** The next merge; or why this candidate cannot be merged after those links. */
export async function addLink(
  { engine, repository }: Pick<IntegrationContext, "engine" | "repository">,
  links: readonly Link[],
  candidate: Candidate,
): Promise<Link | Deny> {
  const { root, base, baseCommit } = repository;
  const shared = findShared(links, candidate);
  if (shared !== undefined) return shared;
  const tip = links.at(-1)?.commit ?? baseCommit;
  const isMerged = candidate.merged.onto === tip;
  const merged = isMerged ? candidate.merged : await mergeTrees(root, tip, candidate.commit);
  if ("conflicts" in merged) return conflict(candidate.branch, base, merged.conflicts);
  const diff = await readDiff(root, tip, merged.tree);
  if (diff.length === 0 && candidate.task !== null) return alreadyThere(base);
  const outside = findOutsideScope(engine.world, candidate, diff);
  if (outside !== undefined) return outside;
  const parents = [tip, candidate.commit];
  const commit = await commitTree(root, { tree: merged.tree, parents, subject: `Try ${candidate.branch}` });
  return { candidate, commit, tree: merged.tree, diff };
}

/** A task whose changes are all on the base: a proof would say nothing about the task's own work. */
function alreadyThere(base: string): Deny {
  return deny(
    "R-PC-003",
    `all its changes are on \`${base}\` already, so nothing is left to merge: cancel the task, or do what is still missing`,
    { signal: "unchanged_edit" },
  );
}

/** A trial merge of candidates onto the base. Undefined if they conflict. */
export async function tryLinks(
  root: string,
  base: string,
  candidates: readonly Candidate[],
): Promise<string | undefined> {
  let tip = base;
  for (const { commit } of candidates) {
    const merged = await mergeTrees(root, tip, commit);
    if ("conflicts" in merged) return undefined;
    tip = await commitTree(root, { tree: merged.tree, parents: [tip, commit], subject: "Try again" });
  }
  return tip;
}

/** Two candidates that change the same file are not merged in one batch (the gate's `file_conflict` check). */
function findShared(links: readonly Link[], { branch, changed }: Candidate): Deny | undefined {
  const paths = new Set(changed);
  for (const { candidate } of links) {
    const both = candidate.changed.filter((path) => paths.has(path));
    const [first] = both;
    if (first === undefined) continue;
    const more = both.length > 1 ? ` and ${both.length - 1} more` : "";
    return deny(
      "R-GT-001",
      `\`${branch}\` and \`${candidate.branch}\` both change \`${first}\`${more}: land it after the other is merged`,
      { check: "file_conflict", route: "serial", with: candidate.branch, paths: both },
    );
  }
  return undefined;
}
