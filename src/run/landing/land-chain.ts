import { agentTrailers } from "../../core/names/agent-trailers.ts";
import { provenRef } from "../../core/names/ref-names.ts";
import { idOfKey } from "../../core/names/task-name.ts";
import { withoutLogs } from "../../core/proof/check-record.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import { abandonMove, type BaseMove, type MovedTask, prepareMove } from "../../engine/change/base-moves.ts";
import { freeTaskName } from "../../engine/landing/finish-landing.ts";
import type { Intent } from "../../ledger/ledger.ts";
import { commitTree } from "../../workspace/git/commit-writer.ts";
import { keepOnRef } from "../../workspace/git/refs.ts";
import type { Integrated, IntegrationContext, Member } from "./integration.ts";
import { moveBase, type NotMoved, whyInTheWay } from "./move-base.ts";
import { proposeChain } from "./propose-chain.ts";
import { type ProvenChain, type ProvenLink, toldMember } from "./proving.ts";
import { finishMove } from "./recover-moves.ts";

export interface LandedChain {
  readonly members: readonly Member[];
  readonly moved?: Pick<Integrated, "batch" | "commit">;
}

/** A proven chain becomes part of the base, or what the configuration wants of it instead. */
export async function landChain(
  context: IntegrationContext,
  chain: ProvenChain,
): Promise<LandedChain | "base moved"> {
  context.reached?.("proven");
  const { config, dryRun, repository } = context;
  if (dryRun) return { members: chain.links.map((link) => toldMember(link, "proven", link.commit)) };
  if (config.integrate === "pr") return { members: await proposeChain(context, chain) };
  if (config.integrate === "none") {
    for (const { candidate, commit } of chain.links)
      await keepOnRef(repository.root, provenRef(candidate.branch), commit);
    return { members: chain.links.map((link) => toldMember(link, "proven", link.commit)) };
  }
  return moveOnto(context, chain);
}

async function moveOnto(
  context: IntegrationContext,
  { links, gate }: ProvenChain,
): Promise<LandedChain | "base moved"> {
  const { engine, repository, call } = context;
  const { root, base, baseCommit } = repository;
  const batch = batchName(engine.clock.now().wallMs);
  const members = await finalCommits(context, { links, gate, batch });
  const commit = members.at(-1)?.commit ?? baseCommit;
  const runner = engine.identityOf(process.pid) ?? null;
  const move: BaseMove = { kind: "land", base, from: baseCommit, to: commit, batch, members, runner };
  const inTheWay = await whyInTheWay(root, move);
  if (inTheWay !== undefined) return waiting(context, links, inTheWay);
  const intent = await prepareMove(engine, move, call);
  if ("allow" in intent) return { members: links.map((link) => ended(link, intent)) };
  context.reached?.("prepared");
  const stopped = await moveBase(root, move);
  if (stopped !== undefined) return notMoved(context, { links, intent, stopped });
  context.reached?.("moved");
  await finishMove(context, intent);
  context.reached?.("settled");
  const told = links.map((link, index) => ({
    ...toldMember(link, "merged", members[index]?.commit ?? null),
    task: members[index]?.task ?? null,
  }));
  return { members: told, moved: { batch, commit } };
}

/** A person ended it while it was proven: nothing of the chain comes in, and the others are proven anew. */
function ended(link: ProvenLink, why: Deny): Member {
  const isGuilty = why.details.task_id === undefined || why.details.task_id === link.candidate.task;
  return { ...toldMember(link, isGuilty ? "waiting" : "refused", null), refused: isGuilty ? why : null };
}

/** Our own intent is undone at once; a base that moved is proven anew, anything else waits for a person. */
async function notMoved(
  context: IntegrationContext,
  {
    links,
    intent,
    stopped,
  }: { readonly links: readonly ProvenLink[]; readonly intent: Intent; readonly stopped: NotMoved },
): Promise<LandedChain | "base moved"> {
  await abandonMove(context.engine, intent, context.call);
  return stopped === "moved" ? "base moved" : waiting(context, links, stopped.why);
}

function waiting({ repository }: IntegrationContext, links: readonly ProvenLink[], why: string): LandedChain {
  const refused = ({ candidate: { session } }: ProvenLink) => {
    const way = `then ${session === null ? "land" : "run"} again`;
    return deny("R-GT-001", `\`${repository.base}\` cannot move now: ${why}; ${way}`);
  };
  return {
    members: links.map((link) => ({ ...toldMember(link, "waiting", null), refused: refused(link) })),
  };
}

/** `BATCH-20260131T101500123Z`. */
function batchName(wallMs: number): string {
  return `BATCH-${new Date(wallMs).toISOString().replace(/[-:.]/g, "")}`;
}

/** The same trees once more, with what was proven in their messages. */
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
      // INV-4: evidence on another tree than its own was made on that of the tip.
      ...{ task, batch, tree, tip, changed, weakened, tests },
      // A note can be pushed, and the files that hold the outputs cannot.
      evidence: evidence.map(withoutLogs),
      gate: commit === tip ? gate : [],
    };
    return { task, branch, title, commit, scope, evidence, proof };
  });
}

function messageOf({ candidate, tree, evidence, judged: { accepted } }: ProvenLink, task: string) {
  const { branch, title, session, maker } = candidate;
  const proof = evidence
    .map(({ command, kind, outcome, tree: on }) => {
      if (kind === "judgement")
        return `${command} with the base's tests (${outcome}${outcome === "fail" ? ", accepted" : ""})`;
      return `${command} (${outcome}${on === tree ? "" : `, on the tip with tree ${on.slice(0, 12)}`})`;
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
