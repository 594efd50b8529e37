import { agentTrailers } from "../../core/names/agent-trailers.ts";
import { provenRef } from "../../core/names/ref-names.ts";
import { idOfKey } from "../../core/names/task-name.ts";
import { toleratedWord, whyUntested, withoutLogs } from "../../core/proof/check-record.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import { type MovedTask, moveName } from "../../engine/change/base-moves.ts";
import { freeTaskName } from "../../engine/landing/finish-landing.ts";
import { commitTree } from "../../workspace/git/commit-writer.ts";
import { keepOnRef } from "../../workspace/git/refs.ts";
import { memberOf, type ProvenChain, type ProvenLink } from "./chain/proving.ts";
import type { Integrated, IntegrationContext, Member } from "./integration.ts";
import { carryMove } from "./move/carry-move.ts";
import type { NotMoved } from "./move/move-base.ts";
import { proposeChain } from "./propose-chain.ts";

export interface LandedChain {
  readonly members: readonly Member[];
  readonly moved?: Pick<Integrated, "batch" | "commit">;
}

/** Merges a proven chain into the base; or proposes it or keeps it on refs, as `integrate` is configured. */
export async function landChain(
  context: IntegrationContext,
  chain: ProvenChain,
): Promise<LandedChain | "base moved"> {
  context.reached?.("proven");
  const { config, dryRun, repository } = context;
  if (dryRun) return { members: chain.links.map((link) => memberOf(link, "proven", link.commit)) };
  if (config.integrate === "pr") return { members: await proposeChain(context, chain) };
  if (config.integrate === "none") {
    for (const { candidate, commit } of chain.links)
      await keepOnRef(repository.root, provenRef(candidate.branch), commit);
    return { members: chain.links.map((link) => memberOf(link, "proven", link.commit)) };
  }
  return moveOnto(context, chain);
}

async function moveOnto(
  context: IntegrationContext,
  { links, gate }: ProvenChain,
): Promise<LandedChain | "base moved"> {
  const { engine, repository } = context;
  const { base, baseCommit } = repository;
  const batch = moveName("BATCH", engine.clock.now().wallMs);
  const members = await finalCommits(context, { links, gate, batch });
  const commit = members.at(-1)?.commit ?? baseCommit;
  const stopped = await carryMove(context, {
    kind: "land",
    base,
    from: baseCommit,
    to: commit,
    batch,
    members,
  });
  if (stopped === "moved") return "base moved";
  if (stopped !== undefined && "why" in stopped) return waiting(context, links, stopped);
  if (stopped !== undefined) return { members: links.map((link) => ended(link, stopped)) };
  const merged = links.map((link, index) => ({
    ...memberOf(link, "merged", members[index]?.commit ?? null),
    task: members[index]?.task ?? null,
  }));
  return { members: merged, moved: { batch, commit } };
}

/** A person ended a task while the chain was proven: nothing is merged, and the other tasks are proven again. */
function ended(link: ProvenLink, why: Deny): Member {
  const isEnded = why.details.task_id === undefined || why.details.task_id === link.candidate.task;
  return { ...memberOf(link, isEnded ? "waiting" : "refused", null), refused: isEnded ? why : null };
}

function waiting(
  { repository }: IntegrationContext,
  links: readonly ProvenLink[],
  { why, trouble }: Exclude<NotMoved, string>,
): LandedChain {
  const refused = ({ candidate: { session } }: ProvenLink) => {
    const next = `then ${session === null ? "land" : "run"} again`;
    return deny("R-GT-001", `\`${repository.base}\` cannot move now: ${why}; ${next}`);
  };
  return {
    members: links.map((link) => ({
      ...memberOf(link, "waiting", null),
      refused: refused(link),
      ...(trouble && { trouble }),
    })),
  };
}

/** Commits the same trees again, with the evidence in the commit messages. */
async function finalCommits(
  { engine, repository }: IntegrationContext,
  { links, gate, batch }: Pick<ProvenChain, "links" | "gate"> & { readonly batch: string },
): Promise<readonly MovedTask[]> {
  const made: { readonly link: ProvenLink; readonly task: string; readonly commit: string }[] = [];
  for (const link of links) {
    const { candidate, tree } = link;
    const names = made.map(({ task }) => task);
    const task = candidate.task ?? (await freeTaskName(engine, candidate.branch, names));
    const parents = [made.at(-1)?.commit ?? repository.baseCommit, candidate.commit];
    const commit = await commitTree(repository.root, { tree, parents, ...messageOf(link, task) });
    made.push({ link, task, commit });
  }
  const tip = made.at(-1)?.commit ?? null;
  return made.map(({ link, task, commit }) => {
    const { candidate, tree, evidence, judged: tests } = link;
    const { branch, title, scope, changed } = candidate;
    const { weakened } = tests;
    const proof = {
      // Evidence that names another tree comes from the tip (INV-4).
      ...{ task, batch, tree, tip, changed, weakened, tests },
      // Notes can be pushed; the output files that `log` names are local.
      evidence: evidence.map(withoutLogs),
      gate: commit === tip ? gate : [],
    };
    return { task, branch, title, commit, scope, evidence, proof };
  });
}

function messageOf({ candidate, tree, evidence, judged: { accepted } }: ProvenLink, task: string) {
  const { branch, title, session, maker } = candidate;
  const proof = evidence
    .map(({ command, kind, outcome, tree: on, before, after }) => {
      if (kind === "judgement")
        return `${command} with the base's tests (${outcome === "fail" ? toleratedWord(before) : outcome})`;
      const words = [
        outcome,
        whyUntested(after),
        on === tree ? undefined : `on the tip with tree ${on.slice(0, 12)}`,
      ];
      return `${command} (${words.filter((word) => word !== undefined).join(", ")})`;
    })
    .join("; ");
  const id = session === null ? task : idOfKey(task);
  return {
    subject: candidate.task === null ? `Land ${branch}: ${title}` : `${id}: ${title}`,
    trailers: {
      "Lockstep-Task": id,
      ...(session === null ? {} : { "Lockstep-Session": session }),
      ...agentTrailers(maker),
      "Lockstep-Evidence": proof.replace(/\s+/g, " "),
      ...(accepted === undefined
        ? {}
        : {
            "Lockstep-Weakened": `accepted in ${accepted.decision}: ${accepted.reason}`.replace(/\s+/g, " "),
          }),
    },
  };
}
