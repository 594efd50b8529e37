import type { Config } from "../../../contract/config.ts";
import type { AttemptName } from "../../../core/names/ref-names.ts";
import { allow, deny, type Verdict } from "../../../core/rules/verdict.ts";
import type { Task } from "../../../core/tasks/task.ts";
import { whyElsewhere } from "../../../engine/attempts/take-task.ts";
import type { Call, Engine } from "../../../engine/change/engine.ts";
import { type Checkout, openToPerson } from "../../../workspace/checkouts/checkout.ts";
import { findCheckout } from "../../../workspace/checkouts/find-checkout.ts";
import type { Project } from "../../../workspace/files/find-project.ts";
import { realClient } from "../../attempt/real-client.ts";
import { withDefaultAgent } from "../default-agent.ts";
import { mayBeTaken, stopAttempt, takeAttempt } from "../fleet/take-over.ts";
import { giveBackConversation } from "./give-back-conversation.ts";

interface Place {
  readonly engine: Engine;
  readonly project: Project;
  readonly config: Config;
}

export interface HandOver {
  readonly place: Place;
  readonly task: Task;
  /** The task as the person named it. */
  readonly name: string;
  readonly call: Call;
}

/** Ends an attempt, keeps its work, and says where that is. */
export async function stopForPerson({ place, task, call }: HandOver): Promise<Verdict> {
  return withPlace(place, task, await stopAttempt({ engine: place.engine, call }, task.key));
}

/** Hands an attempt over to a person: its folder, and the command that continues the agent's conversation. */
export async function takeForPerson({ place, task, name, call }: HandOver): Promise<Verdict> {
  const { engine, project } = place;
  if (isGone(place, task)) {
    const attempt = await engine.ledger.attempt(task.key);
    return (await whyElsewhere(engine, task, attempt)) ?? gone(task, name);
  }
  const taken = withPlace(place, task, await takeAttempt({ engine, call }, task.key));
  if (!taken.allow) return taken;
  const root = project.place.realRoot ?? project.place.root;
  return allow({ folder: root, ...taken.details, root, ...(await resumeOf(place, task)) });
}

/** No agent works on the task, and its checkout has been removed. */
function isGone({ project }: Place, task: Task): boolean {
  const { id, session, attempts, state } = task;
  if (state === "IN_PROGRESS" || !mayBeTaken(task)) return false;
  return checkoutOf(project, { session, task: id, attempt: attempts }) === undefined;
}

function gone({ key, state }: Task, name: string): Verdict {
  const ready = state === "BLOCKED" ? `retry ${name}` : `resolve ${name} --note "…"`;
  const way = `\`lockstep task ${ready}\`, then \`lockstep run\`, starts a new attempt`;
  return deny(
    "R-ST-001",
    `the checkout of task \`${key}\` is gone, so there is nothing to take over: ${way}`,
    {
      ...{ task_id: key, state },
    },
  );
}

/** Adds the checkout folder. Tasks that other programs dispatched have none. */
function withPlace({ project }: Place, { id, session, attempts }: Task, verdict: Verdict): Verdict {
  if (!verdict.allow) return verdict;
  const checkout = checkoutOf(project, { session, task: id, attempt: attempts });
  if (checkout === undefined) return verdict;
  openToPerson(checkout);
  return allow({ ...verdict.details, folder: checkout.folder });
}

/** The command that continues the agent's conversation, after moving it to where the person's client finds it. */
async function resumeOf(
  { engine, config, project }: Place,
  { key, id, session, attempts }: Task,
): Promise<{ readonly resume?: readonly string[]; readonly not_resumed?: string }> {
  const attempt = await engine.ledger.attempt(key);
  if (attempt?.conversation === undefined || attempt.agent === null) return {};
  const { conversation } = attempt;
  const { root } = project.place;
  const found = withDefaultAgent(config, { path: process.env.PATH ?? "", root, wanted: attempt.agent });
  const agent = "allow" in found ? undefined : found.agents[attempt.agent];
  if (agent === undefined || agent.adapter === "command" || agent.adapter === "script") return {};
  const client = realClient(agent.adapter, agent);
  const { home } = client;
  const checkout = checkoutOf(project, { session, task: id, attempt: attempts });
  if (home !== undefined && checkout !== undefined) {
    const { env } = agent;
    const given = { config, checkout, root, conversation, env, client: { ...client, home } };
    const why = await giveBackConversation(given);
    if (why !== undefined) return { not_resumed: why };
  }
  const resume = client.resumeCommand?.(conversation);
  return resume === undefined ? {} : { resume };
}

function checkoutOf({ commonFolder }: Project, name: AttemptName): Checkout | undefined {
  return commonFolder === undefined ? undefined : findCheckout(commonFolder, name);
}
