import { branchOf } from "../../core/names/ref-names.ts";
import { landedId } from "../../core/names/task-name.ts";
import { allow, type Deny, deny, type Verdict } from "../../core/rules/verdict.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Intent } from "../../ledger/ledger.ts";
import { isUnderWay, type MovedTask, moveOf, movesUnderWay } from "../change/base-moves.ts";
import type { Admitted } from "../change/door.ts";
import { internal } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { expectRole, type HeldRole, whyNotHolder } from "../change/hold-role.ts";
import { fingerprintOf, fixDeltaOf, refusalOf } from "../change/refusals.ts";
import { settle } from "../change/settle.ts";
import { newTask } from "../dispatch/new-task.ts";

/** The base has moved: marks every task of the batch as merged with its own proof, all at once (INV-4). */
export const finishLanding = internal("finish-landing", finish);

function finish(
  engine: Engine,
  { held, ...intent }: Intent & { readonly held?: HeldRole },
  call: Admitted,
): Promise<Verdict> {
  const { batch, members } = moveOf(intent);
  return settle(engine, { operation: "land", input: intent, call }, async () => {
    if (!(await isUnderWay(engine, intent))) return { verdict: allow({ batch }) };
    const replaced = await whyNotHolder(engine, held);
    if (replaced !== undefined) return { verdict: replaced };
    const draft = new Draft(engine, { by: call, cause: "land" });
    for (const member of members) {
      const refused = await mergeMember(draft, member, batch);
      if (refused !== undefined) return { verdict: refused };
    }
    return {
      verdict: allow({ batch, tasks: members.map(({ task }) => task) }),
      change: await draft.toChange({ intentsDone: [intent.id], ...expectRole(held) }),
    };
  });
}

async function mergeMember(draft: Draft, member: MovedTask, batch: string): Promise<Deny | undefined> {
  const found = await draft.task(member.task);
  const reviewed = found ?? (await toReview(draft, member));
  if ("allow" in reviewed) return reviewed;
  const { weakened = [] } = member.proof;
  const proven = {
    ...{ ...reviewed, evidence: member.evidence, batch },
    ...(weakened.length > 0 ? { weakened } : {}),
  };
  if (found !== undefined && found.state !== "REVIEW") return mergeTooLate(draft, proven, member);
  const merged = await draft.apply(proven, { type: "merge", commit: member.commit, proof: "proven" });
  return "allow" in merged ? merged : undefined;
}

/** A branch without a task becomes a task when it is merged. */
async function toReview(draft: Draft, { task, branch, title, scope }: MovedTask): Promise<Task | Deny> {
  const created: Task = {
    ...newTask({ key: task, id: task, session: null }, draft.at),
    title,
    assignment: { lock_scope: scope, forbidden_scope: [], branch },
  };
  draft.create(created);
  const started = await draft.apply(created, { type: "start", agent: branch, waitingFor: [] }, "person");
  if ("allow" in started) return started;
  return draft.apply(started, { type: "submit", hasEvidence: true }, "person");
}

/** The task was ended while its merge was in progress: it keeps its state, and the commit is recorded. */
function mergeTooLate(draft: Draft, task: Task, { commit }: MovedTask): undefined {
  draft.putTask({ ...task, commit });
  draft.note({
    type: "land.late",
    task: task.key,
    from: null,
    to: null,
    data: { commit, state: task.state },
  });
}

/** Refuses a merge: a task in review is rejected with what it must fix; for a branch, only an event is recorded. */
export const refuseLanding = internal("refuse-landing", refuse);

function refuse(
  engine: Engine,
  {
    branch,
    task,
    refused,
    waiting = false,
    command,
  }: {
    readonly branch: string;
    readonly task: string | null;
    readonly refused: Deny;
    /** The merge waits for a person. */
    readonly waiting?: boolean;
    /** Repeats the landing. */
    readonly command?: string;
  },
  call: Admitted,
): Promise<Verdict> {
  return settle(engine, { operation: "land", input: { branch, task }, call }, async () => {
    const draft = new Draft(engine, { by: call, cause: "land" });
    const { code, reason } = refused;
    const found = task === null ? undefined : await draft.task(task);
    if (found?.state === "REVIEW") {
      const fingerprint = fingerprintOf(refusalOf(refused));
      const event = { type: "reject", fixDelta: fixDeltaOf(refused), fingerprint } as const;
      const rejected = await draft.apply(found, event, "system");
      if ("allow" in rejected) return { verdict: rejected };
    }
    const { signal, decision = refused.details.decisions } = refused.details;
    if (typeof signal === "string")
      draft.note({ type: "task.warned", task, from: null, to: null, data: { signal, reason } });
    const waits = { ...(waiting ? { waiting } : {}), ...(decision == null ? {} : { decision }) };
    const data = {
      branch,
      refusal: { code, reason },
      ...waits,
      ...(command === undefined ? {} : { command }),
    };
    draft.note({ type: "land.refused", task, from: null, to: null, data });
    return { verdict: allow(), change: await draft.toChange() };
  });
}

/** The task name for a merged branch. */
export async function freeTaskName(
  engine: Engine,
  branch: string,
  also: readonly string[] = [],
): Promise<string> {
  const moves = await movesUnderWay(engine);
  const taken = new Set([
    ...moves.flatMap((intent) => moveOf(intent).members.map(({ task }) => task)),
    ...also,
  ]);
  for (let number = 1; ; number += 1) {
    const name = landedId(branch, number);
    if (!taken.has(name) && (await engine.ledger.task(name)) === undefined) return name;
  }
}

/** The task in review whose work a branch is, such as `lockstep/T-001`. */
export async function reviewedTask(engine: Engine, branch: string): Promise<Task | Deny | undefined> {
  const reviewed = await engine.ledger.tasks({ states: ["REVIEW"] });
  const found = reviewed.filter(({ id }) => branchOf(id) === branch);
  if (found.length < 2) return found[0];
  const keys = found.map(({ key }) => `\`${key}\``).join(", ");
  return deny(
    "R-IN-001",
    `branch \`${branch}\` could be the work of ${keys}: only one of them may be in review`,
  );
}

/** Merges of this branch that were rolled back: git still treats their commits as part of the base. */
export async function rolledBackMerges(engine: Engine, branch: string): Promise<readonly Task[]> {
  const events = await engine.ledger.events({ type: "task.rolled-back" });
  const keys = new Set(events.flatMap(({ task }) => task ?? []));
  const tasks = await Promise.all([...keys].map((key) => engine.ledger.task(key)));
  return tasks.filter((task): task is Task => {
    if (task?.state !== "MERGED" || task.revertedBy == null) return false;
    return task.assignment?.branch === branch || branchOf(task.id) === branch;
  });
}
