import { fileOf } from "../../core/proof/lost-tests.ts";
import type { Judgement, WeakeningReason } from "../../core/proof/weakening.ts";
import { settleJudgement } from "../../engine/decisions/settle-judgement.ts";
import { type JudgedCheck, judgeChange } from "../../proof/judgement/judge-change.ts";
import type { Prover } from "../../proof/prover.ts";
import type { Candidate } from "./candidate.ts";
import type { IntegrationContext } from "./integration.ts";
import type { Link } from "./merge-chain.ts";
import { changeOf, type LeftOut, type ProvenLink, type Proving } from "./proving.ts";
import { gateCommands } from "./run-gate.ts";

/** What the change does to the tests of what it comes after: of the base, or of the link before it. */
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
  const last = links.at(-1);
  const judgement = await judgeChange({
    ...{ root: repository.root, place: engine.world.place, prover, commit, tree, onProgress },
    base: last?.commit ?? repository.baseCommit,
    checks: last === undefined ? passed : await onLink(prover, last, passed),
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

/** The link before was proven by the same checks, so asking for it costs nothing. */
async function onLink(prover: Prover, { commit, evidence }: ProvenLink, passed: readonly JudgedCheck[]) {
  return Promise.all(
    passed.map(async (check) => {
      if (!evidence.some(({ command }) => command === check.command)) return check;
      const before = await prover.run(commit, check.command);
      return "error" in before ? check : { ...check, before };
    }),
  );
}

/** Tests of the whole suite that no longer pass on the tip, and that nobody has accepted for a link. */
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
