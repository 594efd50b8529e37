import { fileOf } from "../../../core/proof/lost-tests.ts";
import type { Judgement, WeakeningReason } from "../../../core/proof/weakening.ts";
import { settleJudgement } from "../../../engine/decisions/settle-judgement.ts";
import { type JudgedCheck, judgeChange, touchesTests } from "../../../proof/judgement/judge-change.ts";
import type { Prover } from "../../../proof/prover.ts";
import type { Candidate } from "../candidate.ts";
import { gateCommands } from "../checks/run-gate.ts";
import type { IntegrationContext } from "../integration.ts";
import type { Link } from "./merge-chain.ts";
import { changeOf, type LeftOut, type ProvenLink, type Proving } from "./proving.ts";

/** Judges a change by the tests of its predecessor: the link before it, or the base. */
export async function judgeLink(
  { context, prover, full }: Proving,
  {
    links,
    link,
    passed,
  }: { readonly links: readonly ProvenLink[]; readonly link: Link; readonly passed: readonly JudgedCheck[] },
) {
  const { repository, config, engine, onProgress } = context;
  const { candidate, commit, tree } = link;
  const judgement = await judgeChange({
    ...{ root: repository.root, place: engine.world.place, prover, commit, tree, onProgress },
    base: links.at(-1)?.commit ?? repository.baseCommit,
    checks: await onLinks(prover, links, passed),
    later: [...full.map(({ command }) => command), ...gateCommands(config.gate)],
    tests: config.tests,
    mayChange: candidate.mayChangeTests,
    change: changeOf(context, [...links.map((one) => one.candidate), candidate]),
  });
  return settle(context, candidate, judgement);
}

function settle(
  { engine, config, call, dryRun }: IntegrationContext,
  candidate: Candidate,
  judgement: Judgement,
) {
  const { task, branch, commit, session } = candidate;
  const words =
    session === null
      ? { fix: "fix the branch and land again", next: "land again" }
      : { fix: "fix it and hand it in again", next: "run again" };
  const work = { task: task ?? branch, commit, weaken: config.tests.weaken, ...words };
  return settleJudgement(engine, work, judgement, { ...call, dryRun });
}

/** Whether the change touches test material, so that the base's tests must judge it on its own merge. */
export function linkTouchesTests(
  { context: { repository, engine, config }, checks, project }: Proving,
  before: Link | undefined,
  { candidate, tree }: Link,
): Promise<boolean> {
  return touchesTests({
    ...{ root: repository.root, place: engine.world.place, tree, tests: config.tests },
    base: before?.commit ?? repository.baseCommit,
    checks: checks.known(project),
    mayChange: candidate.mayChangeTests,
  });
}

/**
 * Each check is compared with its run on the last link on which it ran, or on the base. Links on which it did not run do
 * not touch test material, so that run lists the tests that are expected here.
 */
async function onLinks(prover: Prover, links: readonly ProvenLink[], passed: readonly JudgedCheck[]) {
  return Promise.all(
    passed.map(async (check) => {
      const ranOn = links.findLast(({ tree, evidence }) =>
        evidence.some((record) => record.command === check.command && record.tree === tree),
      );
      const before = ranOn && (await prover.run(ranOn.commit, check.command));
      return before === undefined || "error" in before ? check : { ...check, before };
    }),
  );
}

/** Refuses, or asks about, tests of the full checks that no longer pass on the tip and that no person has accepted. */
export async function settleLost(
  context: IntegrationContext,
  links: readonly ProvenLink[],
  lost: readonly WeakeningReason[],
): Promise<LeftOut | undefined> {
  const accepted = new Set(links.flatMap(({ judged }) => judged.weakened.map(({ path }) => path)));
  const open = lost.filter((reason) => reason.kind === "test" && !accepted.has(reason.test));
  const [first] = open;
  if (first === undefined || context.config.tests.weaken === "allow") return undefined;
  const file = first.kind === "test" ? fileOf(first.test) : "";
  const link =
    links.find(({ candidate }) => candidate.changed.includes(file)) ?? (links.at(-1) as ProvenLink);
  const { changes } = link.judged;
  const settled = await settle(context, link.candidate, { changes, allowed: [], reasons: open, runs: [] });
  if (!("refused" in settled)) return undefined;
  const { refused, waiting } = settled;
  return { candidate: link.candidate, refused, waiting, evidence: link.evidence };
}
