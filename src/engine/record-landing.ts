import type { ProcessIdentity } from "../core/leases/process-identity.ts";
import { field } from "../core/points/fields.ts";
import { allow, type Deny, type Verdict } from "../core/rules/verdict.ts";
import type { Task } from "../core/tasks/task.ts";
import type { Intent } from "../ledger/ledger.ts";
import { Draft } from "./draft.ts";
import type { Call, Engine } from "./engine.ts";
import { newTask } from "./new-task.ts";
import { settle } from "./settle.ts";

/** A branch that is about to become part of the base: everything that is known of it. */
export interface Landing {
  readonly branch: string;
  readonly title: string;
  readonly base: string;
  readonly from: string;
  readonly to: string;
  readonly scope: readonly string[];
  readonly evidence: readonly unknown[];
  /** Who is at it: only when that process is dead may others finish or undo it. */
  readonly runner: ProcessIdentity | null;
}

/** Written before the base moves, so that a crash between the two is found. */
export async function prepareLanding(engine: Engine, landing: Landing, call: Call): Promise<string> {
  const task = await freeName(engine, landing.branch);
  await settle(engine, { operation: "land", input: landing, call }, async () => {
    const draft = new Draft(engine, { by: call, cause: "land" });
    draft.note({
      type: "landing.prepared",
      task: null,
      from: null,
      to: null,
      data: { task, ...withoutTails(landing) },
    });
    draft.intend({ type: "move-base", task, epoch: 0, data: landing });
    return { verdict: allow(), change: await draft.toChange() };
  });
  return task;
}

/** The base has moved: the landing is a task like any other, merged with its proof (INV-4). */
export function finishLanding(engine: Engine, intent: Intent, call: Call): Promise<Verdict> {
  const landing = intent.data as Landing;
  return settle(engine, { operation: "land", input: intent, call }, async () => {
    const draft = new Draft(engine, { by: call, cause: "land" });
    const created: Task = {
      ...newTask({ key: intent.task, id: intent.task, session: null }, draft.at),
      title: landing.title,
      assignment: { lock_scope: landing.scope, forbidden_scope: [], branch: landing.branch },
    };
    draft.create(created);
    let task: Task | Deny = created;
    const events = [
      { type: "start", agent: landing.branch, waitingFor: [] },
      { type: "submit", hasEvidence: true },
      { type: "merge", commit: landing.to, proof: "proven" },
    ] as const;
    for (const event of events) {
      task = await draft.apply({ ...task, evidence: landing.evidence }, event, "person");
      if ("allow" in task) return { verdict: task };
    }
    const details = { task_id: intent.task, state: task.state, commit: landing.to };
    return { verdict: allow(details), change: await draft.toChange({ intentsDone: [intent.id] }) };
  });
}

/** The base did not move: nothing of it remains but the story. */
export async function abandonLanding(engine: Engine, intent: Intent, call: Call): Promise<void> {
  await settle(engine, { operation: "land", input: intent.id, call }, async () => {
    const draft = new Draft(engine, { by: call, cause: "land" });
    draft.note({ type: "landing.abandoned", task: null, from: null, to: null, data: { task: intent.task } });
    return { verdict: allow(), change: await draft.toChange({ intentsDone: [intent.id] }) };
  });
}

export async function noteRefusal(engine: Engine, branch: string, refused: Deny, call: Call): Promise<void> {
  await settle(engine, { operation: "land", input: branch, call }, async () => {
    const draft = new Draft(engine, { by: call, cause: "land" });
    const { code, reason } = refused;
    draft.note({
      type: "landing.refused",
      task: null,
      from: null,
      to: null,
      data: { branch, refusal: { code, reason } },
    });
    return { verdict: allow(), change: await draft.toChange() };
  });
}

/** `feature/x` lands as `land-feature-x`, then `land-feature-x-2` … */
async function freeName({ ledger }: Engine, branch: string): Promise<string> {
  const stem = `land-${branch.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, 60)}`;
  const taken = new Set((await ledger.intents()).map(({ task }) => task));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? stem : `${stem}-${number}`;
    if (!taken.has(name) && (await ledger.task(name)) === undefined) return name;
  }
}

function withoutTails({ evidence, ...landing }: Landing) {
  return {
    ...landing,
    checks: evidence.map((one) => ({ command: field(one, "command"), outcome: field(one, "outcome") })),
  };
}
