import { type Deny, deny } from "../../core/rules/verdict.ts";
import { refuseLanding } from "../../engine/landing/finish-landing.ts";
import { RemoteFault, type RemoteTrouble } from "../../workspace/git/remote.ts";
import { type BranchRequest, type Candidate, examineBranch } from "./candidate.ts";
import { proveChain } from "./chain/prove-chain.ts";
import type { ProvenChain } from "./chain/proving.ts";
import { recordProofs } from "./evidence/record-proofs.ts";
import { freshBase } from "./fresh-base.ts";
import {
  type Integrated,
  type IntegrationContext,
  type Member,
  member,
  type Outcome,
  taskAndFiles,
} from "./integration.ts";
import { openIntegrationRef } from "./integration-ref.ts";
import { landChain } from "./land-chain.ts";
import { recoverMoves } from "./move/recover-moves.ts";

/** How many times the base may move while the same branches are proven. */
const roundsMax = 5;

/**
 * Merges branches into the base, in their order. Each branch is merged onto the ones before it and proven on that tree.
 * The gate runs on the last merge. Then the base moves once. A branch that fails is left out, and the others continue.
 * If another moves the base meanwhile, half of the branches are tried first: a shorter proof fits between two moves.
 */
export async function integrate(
  context: IntegrationContext,
  requests: readonly BranchRequest[],
): Promise<Integrated> {
  try {
    for (const line of await recoverMoves(context)) context.onProgress(line);
    // Pull requests are merged one by one, in any order, so each is proven alone.
    if (context.config.integrate === "pr" && requests.length > 1 && !context.dryRun)
      return await oneByOne(context, requests);
    return await integrateInRounds(context, requests);
  } catch (error) {
    return report(context, requests.map(waitingAfter(error, context)));
  }
}

async function integrateInRounds(
  context: IntegrationContext,
  requests: readonly BranchRequest[],
): Promise<Integrated> {
  const { base } = context.repository;
  const parts: Integrated[] = [];
  let left = requests;
  try {
    let at = context.config.integrate === "push" ? await freshBase(context) : context;
    let size = requests.length;
    for (let round = 0; round < roundsMax; ) {
      if (at === undefined) {
        const why = `the branch \`${base}\` no longer exists: create it again, or set \`base_branch\``;
        return joined(context, [...parts, report(context, left.map(waitingFor(why)))]);
      }
      const done = await integrateOnce(at, left.slice(0, size));
      if (done === "base moved") {
        context.onProgress(`\`${base}\` has moved in the meantime: proving again on the new commit`);
        round += 1;
        size = Math.ceil(size / 2);
      } else {
        parts.push(done);
        left = left.slice(size);
        if (left.length === 0) return joined(context, parts);
        round = 0;
        size *= 2;
      }
      at = await freshBase(at);
    }
  } catch (error) {
    // What has been merged stays merged.
    return joined(context, [...parts, report(context, left.map(waitingAfter(error, context)))]);
  }
  const refused = deny("R-GT-001", `\`${base}\` moved ${roundsMax} times during the proof: try again`);
  const last = left.map(({ branch }) => member(branch, { outcome: "refused", refused }));
  return joined(context, [...parts, report(context, last)]);
}

/** Several integrations as one. The batch and commit are those of the last one that moved the base. */
function joined(context: IntegrationContext, parts: readonly Integrated[]): Integrated {
  const moved = parts.findLast(({ commit }) => commit !== null);
  return {
    ...report(
      context,
      parts.flatMap(({ branches }) => branches),
    ),
    ...(moved && { batch: moved.batch, commit: moved.commit }),
    gate: parts.flatMap(({ gate }) => gate),
  };
}

/** After an error of the remote; any other error is thrown. */
function waitingAfter(error: unknown, { repository: { base } }: IntegrationContext) {
  if (!(error instanceof RemoteFault)) throw error;
  return waitingFor(`\`${base}\` cannot move now: ${error.message}; then try again`, "fails");
}

function waitingFor(why: string, trouble?: RemoteTrouble) {
  const refused = deny("R-GT-001", why);
  return ({ branch, task }: BranchRequest) =>
    member(branch, { outcome: "waiting", task: task ?? null, refused, ...(trouble && { trouble }) });
}

async function oneByOne(
  context: IntegrationContext,
  requests: readonly BranchRequest[],
): Promise<Integrated> {
  const done: Integrated[] = [];
  for (const request of requests) done.push(await integrate(context, [request]));
  return joined(context, done);
}

async function integrateOnce(
  context: IntegrationContext,
  requests: readonly BranchRequest[],
): Promise<Integrated | "base moved"> {
  const done = new Map<string, Member>();
  const candidates: Candidate[] = [];
  for (const request of requests) {
    const examined = await examineBranch(context.engine, context.repository, request);
    if ("candidate" in examined) candidates.push(examined.candidate);
    else if ("nothing" in examined) done.set(request.branch, member(request.branch, { outcome: "nothing" }));
    else done.set(request.branch, member(request.branch, { outcome: "refused", ...examined }));
  }
  await using ref = await openIntegrationRef(context);
  const proven = candidates.length === 0 ? nothingToProve : await proveChain(context, candidates, ref);
  for (const { candidate, refused, waiting, evidence } of proven.out)
    done.set(
      candidate.branch,
      member(candidate.branch, {
        ...taskAndFiles(candidate),
        ...weakening(refused),
        outcome: waiting ? "waiting" : "refused",
        refused,
        evidence,
      }),
    );
  const landed = proven.links.length === 0 ? { members: [] } : await landChain(context, proven);
  if (landed === "base moved") return landed;
  for (const one of landed.members) done.set(one.branch, one);
  if (landed.moved !== undefined) context.tidy?.();
  const inOrder = requests.flatMap(({ branch }) => done.get(branch) ?? []);
  const members = await recordProofs(context, inOrder, proven.gate);
  if (!context.dryRun) await recordRefusals(context, members);
  return { ...report(context, members), ...landed.moved, gate: proven.gate };
}

/** The weakened tests that a refusal names, as fields of the branch. */
function weakening({ code, details }: Deny): Partial<Member> {
  if (code !== "R-TW-001" || !Array.isArray(details.changes) || !Array.isArray(details.weakened)) return {};
  const weakened = details.weakened.map((text) => ({ path: "tests", what: String(text) }));
  return { weakened, tests: { outcome: "weakens", changes: details.changes, weakened } };
}

const nothingToProve: ProvenChain = { links: [], out: [], gate: [] };

async function recordRefusals({ engine, call, again }: IntegrationContext, members: readonly Member[]) {
  for (const { branch, task, refused, outcome } of members) {
    if (refused === null) continue;
    const command = again?.(branch);
    // Work that waits for a person has not failed: its task stays in review.
    const ended = outcome === "waiting" ? { task: null, waiting: task === null } : { task };
    await refuseLanding(engine, { branch, refused, ...ended, ...(command && { command }) }, call);
  }
}

/** The outcome of the whole is the worst one. `nothing`, which is part of the base already, comes last. */
const worstFirst: readonly Outcome[] = ["waiting", "refused", "proposed", "proven", "merged", "nothing"];

function report({ repository }: IntegrationContext, branches: readonly Member[]): Integrated {
  const outcomes = new Set(branches.map(({ outcome }) => outcome));
  const outcome = worstFirst.find((one) => outcomes.has(one)) ?? "nothing";
  return { outcome, base: repository.base, batch: null, commit: null, gate: [], branches };
}
