import type { Config } from "../contract/config.ts";
import { readEntries, Scope } from "../core/paths/scope.ts";
import type { CheckRecord } from "../core/proof/check-record.ts";
import { findWeakened, type Weakened } from "../core/proof/weakened-checks.ts";
import { findForbidden, findOutside } from "../core/rules/judge-write.ts";
import { type Deny, deny } from "../core/rules/verdict.ts";
import type { Call, Engine } from "../engine/engine.ts";
import { type Landing, noteRefusal, prepareLanding } from "../engine/record-landing.ts";
import type { GateResult } from "../proof/gate/gate-result.ts";
import { Prover } from "../proof/prover.ts";
import { commitTree, mergeTrees } from "../workspace/git/merge-commits.ts";
import { type ChangedPath, readDiff } from "../workspace/git/read-diff.ts";
import { isAncestor, keepOnRef, readRef } from "../workspace/git/refs.ts";
import type { RepositoryState } from "../workspace/git/repository-state.ts";
import { git, tryGit } from "../workspace/git/run-git.ts";
import { moveBase, recoverLandings, settleLanding } from "./move-base.ts";
import { projectChecks, proveLanding, type WantedCheck } from "./prove-landing.ts";
import { runGate, whyGateFails } from "./run-gate.ts";

export interface LandInput {
  readonly branch: string;
  readonly scope: readonly string[];
  readonly checks: readonly string[];
  readonly proves: readonly string[];
  readonly dryRun: boolean;
}

export interface LandContext {
  readonly engine: Engine;
  readonly repository: RepositoryState;
  readonly config: Config;
  readonly call: Call;
  onProgress(line: string): void;
}

export interface Landed {
  readonly outcome: "merged" | "proven" | "nothing" | "refused" | "waiting";
  readonly task: string | null;
  readonly commit: string | null;
  readonly base: string;
  readonly refused: Deny | null;
  readonly changed: readonly string[];
  readonly weakened: readonly Weakened[];
  readonly evidence: readonly CheckRecord[];
  readonly gate: readonly GateResult[];
}

/** How often the base may move under a landing before it gives up. */
const roundsMax = 5;

/** Takes any branch into the base: only what lies in its scope, only what is proven on the merged tree. */
export async function landBranch(context: LandContext, input: LandInput): Promise<Landed> {
  for (const line of await recoverLandings(context.engine, context.repository.root, context.call))
    context.onProgress(line);
  let { repository } = context;
  for (let round = 0; round < roundsMax; round += 1) {
    const landed = await landOnce({ ...context, repository }, input);
    if (landed !== "base moved") return landed;
    context.onProgress(`\`${repository.base}\` moved meanwhile: proving again on what it is now`);
    const baseCommit = await readRef(repository.root, `refs/heads/${repository.base}`);
    repository = { ...repository, baseCommit: baseCommit ?? repository.baseCommit };
  }
  const refused = deny(
    "R-GT-001",
    `\`${repository.base}\` moved ${roundsMax} times during the proof: try again`,
  );
  return ended(context, { outcome: "refused", refused });
}

async function landOnce(context: LandContext, input: LandInput): Promise<Landed | "base moved"> {
  const { root, base, baseCommit } = context.repository;
  const branchCommit = await readRef(root, `refs/heads/${input.branch}`);
  if (branchCommit === undefined)
    return ended(context, {
      outcome: "refused",
      refused: deny("R-IN-001", `there is no branch \`${input.branch}\``),
    });
  if (await isAncestor(root, branchCommit, baseCommit)) return ended(context, { outcome: "nothing" });
  const fork = await git(root, ["merge-base", baseCommit, branchCommit]);
  const diff = await readDiff(root, fork, branchCommit);
  const changed = diff.map(({ path }) => path);
  const outside = findOutsideScope(context, input, diff);
  if (outside !== undefined) return refuse(context, input, { refused: outside, changed });
  const merged = await mergeTrees(root, baseCommit, branchCommit);
  if ("conflicts" in merged) {
    const remedy = `rebase it on \`${base}\` and land again`;
    const refused = deny("R-GT-001", `${merged.message}: ${remedy}`, { conflicts: merged.conflicts });
    return refuse(context, input, { refused, changed });
  }
  return proveAndMove(context, input, { branchCommit, tree: merged.tree, changed, diff, fork });
}

interface MergedBranch {
  readonly branchCommit: string;
  readonly tree: string;
  readonly changed: readonly string[];
  readonly diff: readonly ChangedPath[];
  readonly fork: string;
}

async function proveAndMove(
  context: LandContext,
  input: LandInput,
  { branchCommit, tree, changed, diff, fork }: MergedBranch,
): Promise<Landed | "base moved"> {
  const { engine, repository, config, call } = context;
  const { root, base, baseCommit } = repository;
  const title = await git(root, ["log", "-1", "--format=%s", branchCommit]);
  const trial = await commitTree(root, {
    tree,
    parents: [baseCommit, branchCommit],
    subject: `Land ${input.branch}`,
  });
  await keepOnRef(root, `refs/lockstep/landing/${branchCommit}`, trial);
  const weakened = findWeakened(await readTexts(root, fork, branchCommit, changed));
  using prover = await openProver(context);
  const project = await projectChecks(prover, baseCommit, config.checks.default);
  const proof = await proveLanding(prover, {
    base: baseCommit,
    result: trial,
    checks: [
      ...wanted("project", project),
      ...wanted("acceptance", input.checks),
      ...wanted("proves", input.proves),
    ],
    flaky: config.checks.flaky,
    change: { base: baseCommit, changed },
    onProgress: context.onProgress,
  });
  const told: Told = { changed, weakened, evidence: proof.records };
  if ("refused" in proof)
    return refuse(context, input, { ...told, refused: proof.refused, waiting: proof.wait !== undefined });
  const gate = await runGate({
    root,
    base: baseCommit,
    result: trial,
    diff,
    branch: input.branch,
    gate: config.gate,
    prover,
    tested: project.length > 0,
    onProgress: context.onProgress,
  });
  const failing = whyGateFails(gate);
  if (failing !== undefined) return refuse(context, input, { ...told, gate, refused: failing });
  if (input.dryRun || config.integrate === "none")
    return ended(context, { outcome: "proven", commit: trial, ...told, gate });
  const commit = await finalCommit(root, {
    tree,
    parents: [baseCommit, branchCommit],
    title,
    branch: input.branch,
    records: proof.records,
  });
  const landing: Landing = {
    branch: input.branch,
    title,
    base,
    from: baseCommit,
    to: commit,
    scope: input.scope,
    evidence: proof.records,
    runner: engine.identityOf(process.pid) ?? null,
  };
  const task = await prepareLanding(engine, landing, call);
  const why = await moveBase(root, landing);
  if (why !== undefined) return notMoved(context, input, { why, told: { ...told, gate } });
  await settleLanding(engine, task, call);
  await keepProof(root, commit, { task, ...told, gate });
  return ended(context, { outcome: "merged", task, commit, ...told, gate });
}

type Told = Partial<Pick<Landed, "changed" | "weakened" | "evidence" | "gate">>;

/** Our own intent is undone at once; a base that moved is proven anew, anything else waits for a person. */
async function notMoved(
  context: LandContext,
  input: LandInput,
  { why, told }: { why: string; told: Told },
): Promise<Landed | "base moved"> {
  await recoverLandings({ ...context.engine, isAlive: () => false }, context.repository.root, context.call);
  if (why === "it moved meanwhile") return "base moved";
  const reason = `\`${context.repository.base}\` is checked out and git does not move it: ${why}`;
  return refuse(context, input, { ...told, refused: deny("R-GT-001", reason), waiting: true });
}

function findOutsideScope(
  { engine }: LandContext,
  { scope }: LandInput,
  diff: readonly ChangedPath[],
): Deny | undefined {
  const { place, disk } = engine.world;
  const read = readEntries(scope, place);
  if ("error" in read) return deny("R-PD-002", `\`${scope[read.index]}\` is no scope: ${read.error}`);
  const limits = {
    place: { root: place.root, ...(place.folds === undefined ? {} : { folds: place.folds }) },
    // A branch is judged by the names in its tree, whatever the working folder's links lead to.
    disk: { ...disk, realPath: (path: string) => path },
    lock: new Scope(read.entries, place),
    forbidden: new Scope([], place),
  };
  const wrong: string[] = [];
  for (const { path, utf8 } of diff) {
    const target = { resource: path, wholeTree: false };
    const forbidden = findForbidden(target, limits);
    if (forbidden !== undefined) return deny("R-PW-002", forbidden.reason, forbidden.details);
    if (!utf8 || findOutside(target, limits) !== undefined) wrong.push(path);
  }
  const [first] = wrong;
  if (first === undefined) return undefined;
  const more = wrong.length > 1 ? ` and ${wrong.length - 1} more` : "";
  return deny(
    "R-PO-002",
    `the branch changes \`${first}\`${more} outside its scope: undo that, or name it with --scope`,
    {
      outside: wrong,
      scope,
    },
  );
}

function wanted(kind: WantedCheck["kind"], commands: readonly string[]): readonly WantedCheck[] {
  return commands.map((command) => ({ command, kind }));
}

function openProver({ repository, config, onProgress }: LandContext): Promise<Prover> {
  const { setup, include, env_pass } = config.workspace;
  return Prover.open({ ...repository, setup, include, envPass: env_pass, onProgress });
}

async function readTexts(root: string, from: string, to: string, changed: readonly string[]) {
  const text = async (commit: string, path: string) => {
    const { exit, stdout } = await tryGit(root, ["cat-file", "blob", `${commit}:${path}`]);
    return exit === 0 && !stdout.includes(0) ? stdout.toString("utf8") : undefined;
  };
  return Promise.all(
    changed.map(async (path) => ({ path, before: await text(from, path), after: await text(to, path) })),
  );
}

interface FinalCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly title: string;
  readonly branch: string;
  readonly records: readonly CheckRecord[];
}

function finalCommit(root: string, { tree, parents, title, branch, records }: FinalCommit): Promise<string> {
  const proof = records.map(({ command, outcome }) => `${command} (${outcome})`).join("; ") || "no checks";
  return commitTree(root, {
    tree,
    parents,
    subject: `Land ${branch}: ${title}`,
    trailers: { "Lockstep-Task": branch, "Lockstep-Evidence": proof.replace(/\s+/g, " ") },
  });
}

async function keepProof(root: string, commit: string, proof: unknown): Promise<void> {
  await git(root, ["notes", "--ref=lockstep", "add", "--force", "--file=-", commit], {
    input: `${JSON.stringify(proof, null, 2)}\n`,
  });
}

async function refuse(
  context: LandContext,
  { branch }: LandInput,
  { refused, waiting = false, ...told }: Told & { refused: Deny; waiting?: boolean },
): Promise<Landed> {
  await noteRefusal(context.engine, branch, refused, context.call);
  return ended(context, { ...told, outcome: waiting ? "waiting" : "refused", refused });
}

function ended({ repository }: LandContext, landed: Pick<Landed, "outcome"> & Partial<Landed>): Landed {
  return {
    task: null,
    commit: null,
    base: repository.base,
    refused: null,
    changed: [],
    weakened: [],
    evidence: [],
    gate: [],
    ...landed,
  };
}
