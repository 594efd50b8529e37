import { type Deny, deny } from "../../core/rules/verdict.ts";
import { refuseLanding } from "../../engine/landing/finish-landing.ts";
import { readRef } from "../../workspace/git/refs.ts";
import { type BranchWish, type Candidate, examineBranch } from "./candidate.ts";
import {
  type Integrated,
  type IntegrationContext,
  type Member,
  member,
  type Outcome,
  toldOf,
} from "./integration.ts";
import { openIntegrationRef } from "./integration-ref.ts";
import { landChain } from "./land-chain.ts";
import { proveChain } from "./prove-chain.ts";
import type { ProvenChain } from "./proving.ts";
import { recordProofs } from "./record-proofs.ts";
import { recoverMoves } from "./recover-moves.ts";
import { tidyCheckouts } from "./tidy-checkouts.ts";

/** How often the base may move under an integration before it gives up. */
const roundsMax = 5;

/**
 * Takes branches into the base, in their order: each merged onto the ones before it and proven on that tree, the
 * gate on the last, then the base moves once. Whoever breaks something is left out, and the others go on.
 */
export async function integrate(
  context: IntegrationContext,
  wishes: readonly BranchWish[],
): Promise<Integrated> {
  for (const line of await recoverMoves(context)) context.onProgress(line);
  // Pull requests are merged one by one, in whatever order: each has to hold alone.
  if (context.config.integrate === "pr" && wishes.length > 1 && !context.dryRun)
    return oneByOne(context, wishes);
  let { repository } = context;
  for (let round = 0; round < roundsMax; round += 1) {
    const done = await integrateOnce({ ...context, repository }, wishes);
    if (done !== "base moved") return done;
    context.onProgress(`\`${repository.base}\` moved in the meantime: verifying again on the new tip`);
    const baseCommit = await readRef(repository.root, `refs/heads/${repository.base}`);
    if (baseCommit === undefined) return tell(context, wishes.map(withoutBase(repository.base)));
    repository = { ...repository, baseCommit };
  }
  const reason = `\`${repository.base}\` moved ${roundsMax} times during the proof: try again`;
  return tell(
    context,
    wishes.map(({ branch }) => member(branch, { outcome: "refused", refused: deny("R-GT-001", reason) })),
  );
}

function withoutBase(base: string) {
  const why = `there is no branch \`${base}\` any more: make it again, or set \`base_branch\``;
  return ({ branch, task }: BranchWish) =>
    member(branch, { outcome: "waiting", task: task ?? null, refused: deny("R-GT-001", why) });
}

async function oneByOne(context: IntegrationContext, wishes: readonly BranchWish[]): Promise<Integrated> {
  const done: Integrated[] = [];
  for (const wish of wishes) done.push(await integrate(context, [wish]));
  const gate = done.flatMap((one) => one.gate);
  return {
    ...tell(
      context,
      done.flatMap(({ branches }) => branches),
    ),
    gate,
  };
}

async function integrateOnce(
  context: IntegrationContext,
  wishes: readonly BranchWish[],
): Promise<Integrated | "base moved"> {
  const settled = new Map<string, Member>();
  const candidates: Candidate[] = [];
  for (const wish of wishes) {
    const examined = await examineBranch(context.engine, context.repository, wish);
    if ("candidate" in examined) candidates.push(examined.candidate);
    else if ("nothing" in examined) settled.set(wish.branch, member(wish.branch, { outcome: "nothing" }));
    else settled.set(wish.branch, member(wish.branch, { outcome: "refused", ...examined }));
  }
  await using ref = await openIntegrationRef(context);
  const proven = candidates.length === 0 ? nothingToProve : await proveChain(context, candidates, ref);
  for (const { candidate, refused, waiting, evidence } of proven.out)
    settled.set(
      candidate.branch,
      member(candidate.branch, {
        ...toldOf(candidate),
        ...weakening(refused),
        outcome: waiting ? "waiting" : "refused",
        refused,
        evidence,
      }),
    );
  const landed = proven.links.length === 0 ? { members: [] } : await landChain(context, proven);
  if (landed === "base moved") return landed;
  for (const one of landed.members) settled.set(one.branch, one);
  if (landed.moved !== undefined) for (const line of await tidyCheckouts(context)) context.onProgress(line);
  const settledAll = wishes.flatMap(({ branch }) => settled.get(branch) ?? []);
  const members = await recordProofs(context, settledAll, proven.gate);
  if (!context.dryRun) await recordRefusals(context, members);
  return { ...tell(context, members), ...landed.moved, gate: proven.gate };
}

/** Told with the branch too, as its tests are not untouched. */
function weakening({ code, details }: Deny): Partial<Member> {
  if (code !== "R-TW-001" || !Array.isArray(details.changes) || !Array.isArray(details.weakened)) return {};
  const weakened = details.weakened.map((text) => ({ path: "tests", what: String(text) }));
  return { weakened, tests: { outcome: "weakens", changes: details.changes, weakened } };
}

const nothingToProve: ProvenChain = { links: [], out: [], gate: [] };

async function recordRefusals({ engine, call }: IntegrationContext, members: readonly Member[]) {
  for (const { branch, task, refused, outcome } of members)
    if (refused !== null)
      // Who waits for a person has done nothing wrong: a task stays in review.
      await refuseLanding(
        engine,
        outcome === "waiting"
          ? { branch, task: null, refused, waiting: task === null }
          : { branch, task, refused },
        call,
      );
}

/** The worst of them is how it went; what was part of the base before does not count. */
const worstFirst: readonly Outcome[] = ["waiting", "refused", "proposed", "proven", "merged", "nothing"];

function tell({ repository }: IntegrationContext, branches: readonly Member[]): Integrated {
  const outcomes = new Set(branches.map(({ outcome }) => outcome));
  const outcome = worstFirst.find((one) => outcomes.has(one)) ?? "nothing";
  return { outcome, base: repository.base, batch: null, commit: null, gate: [], branches };
}
