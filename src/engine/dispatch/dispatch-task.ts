import { expiresAt } from "../../core/leases/lease.ts";
import { isMeta } from "../../core/names/task-name.ts";
import { type AllowWith, allow, type Deny, deny } from "../../core/rules/verdict.ts";
import { forgiven } from "../../core/tasks/next-task.ts";
import type { TaskState } from "../../core/tasks/states.ts";
import { type FixDelta, isIn, type Task } from "../../core/tasks/task.ts";
import type { TaskEvent } from "../../core/tasks/task-event.ts";
import { isObject } from "../../core/values/fields.ts";
import { reclaimIfLapsed } from "../attempts/reclaim.ts";
import { findBreaker } from "../change/breaker.ts";
import { downUpstream, orphanOf, unmerged } from "../change/carry-effects.ts";
import type { Admitted } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import { type Engine, isOwner } from "../change/engine.ts";
import { tokenOf } from "../change/fence.ts";
import { maskedPacket } from "../change/masked-input.ts";
import { fingerprintOf } from "../change/refusals.ts";
import { type Settled, settle } from "../change/settle.ts";
import { dependencyVersions, findCircle } from "./find-circle.ts";
import { delegatorIn, refuseDelegation } from "./judge-delegation.ts";
import { type Judged, judgeDispatch } from "./judge-dispatch.ts";
import { newTask } from "./new-task.ts";
import { openAttempt } from "./open-attempt.ts";
import { type Packet, readPacket, unnamedAgent } from "./read-packet.ts";
import { sameAssignment } from "./same-assignment.ts";
import { withGranted } from "./with-granted.ts";
import { withTerms } from "./with-terms.ts";

export interface DispatchInput {
  readonly packet: unknown;
  /** The process that runs the agent: its death is noticed before the lease ends. */
  readonly runnerPid?: number;
}

/** The attempt that a dispatch has started. */
export interface Started {
  readonly task_id: string;
  readonly state: TaskState;
  readonly type: string | null;
  readonly attempt: number;
  readonly epoch: number;
  readonly lease_expires_at: string;
  /** The time limit in minutes; null: no limit. */
  readonly minutes: number | null;
  /** The current scope, which may have been widened since the plan. */
  readonly lock_scope: readonly string[];
  readonly fix_delta: FixDelta | null;
  /** Proves that the caller was given this attempt. */
  readonly token: string;
}

type Opened = AllowWith<Omit<Started, "token">>;

/**
 * PreDispatch against the ledger. On allow, the task is IN_PROGRESS and holds its whole scope; both happen in the
 * commit that checked the overlap, or not at all (INV-1).
 */
export async function dispatchTask(
  engine: Engine,
  input: DispatchInput,
  call: Admitted,
): Promise<AllowWith<Started> | Deny> {
  const masked = await maskedPacket(withoutConsent(input.packet, call));
  if ("allow" in masked) return masked;
  const asked = readPacket(masked.packet);
  if ("allow" in asked) return asked;
  let turn: AsyncDisposable | undefined;
  await using _end = { [Symbol.asyncDispose]: async () => turn?.[Symbol.asyncDispose]() };
  const verdict = await settle(engine, { operation: "dispatch", input, call }, async () => {
    turn ??= await engine.ledger.turn?.();
    return decideDispatch(engine, { document: masked.packet, key: asked.name.key, input, call });
  });
  if (!verdict.allow) return verdict;
  const { details } = verdict;
  return allow({ ...details, token: tokenOf(engine.ledger, asked.name.key, details.epoch) });
}

/** Only a person may let a task change tests without asking. */
function withoutConsent(packet: unknown, call: Admitted): unknown {
  if (isOwner(call) || !isObject(packet) || !isObject(packet.assignment)) return packet;
  const { may_change_tests: dropped, ...kept } = packet.assignment;
  return dropped == null ? packet : { ...packet, assignment: kept };
}

interface Dispatch {
  readonly document: unknown;
  readonly key: string;
  readonly input: DispatchInput;
  readonly call: Admitted;
}

async function decideDispatch(
  engine: Engine,
  { document, key, input, call }: Dispatch,
): Promise<Settled<Opened>> {
  // Read first: if the task changes from here on, the commit fails.
  const stored = await engine.ledger.task(key);
  const asked = readPacket(withTerms(document, stored?.terms ?? null));
  if ("allow" in asked) return { verdict: asked };
  const packet = widened(asked, stored, engine);
  if (input.runnerPid !== undefined && runnerOf(engine, input) === null)
    return {
      verdict: deny("R-IN-001", `process ${input.runnerPid}, which should run the agent, does not exist`),
    };
  const barred = refuseAgent(engine, packet.type ?? stored?.type ?? null, packet.agent);
  if (barred !== undefined) return { verdict: barred };
  const stopped = await findBreaker(engine, "start");
  if (stopped !== undefined) return { verdict: stopped };
  const judged =
    call.dryRun === true ? await judgeDispatch(engine, packet) : await judgeFreed(engine, packet);
  const draft = new Draft(engine, { by: call, cause: "dispatch" });
  const base = stored?.base ?? (await engine.baseCommit());
  const known = stored ?? newTask(packet.name, draft.at);
  const task = packetTask(base === undefined ? known : { ...known, base }, packet);
  const circle = await findCircle(draft, task);
  if (circle !== undefined) return { verdict: circle };
  const undelegated = await refuseDelegation(draft, task, { packet, limit: engine.limits.delegationDepth });
  if (undelegated !== undefined) return undelegated;
  if (stored === undefined) draft.create(task);
  const readied = await makeReady(draft, { stored, task, judged });
  if ("allow" in readied) return { verdict: readied };
  const event = await eventFor(draft, { task: readied, packet, judged });
  // A refused dispatch of rejected work leaves it rejected; the caller gets the reason.
  if (event.type !== "start" && readied.state !== "PENDING") return { verdict: verdictOf(event, judged) };
  const moved = await draft.apply(readied, event, event.type === "start" ? undefined : "system");
  if ("allow" in moved) return { verdict: moved };
  if (event.type !== "start") return refused(draft, { moved, verdict: verdictOf(event, judged) });
  const opened = openAttempt(draft, {
    ...{ task: moved, judged, runner: runnerOf(engine, input), minutesMax: engine.limits.minutes.halt },
  });
  const change = await draft.toChange({ take: opened.locks, expect: { fence: judged.fence } });
  const { attempt } = opened;
  const details = {
    task_id: moved.key,
    state: moved.state,
    type: moved.type ?? null,
    attempt: attempt.number,
    epoch: attempt.epoch,
    lease_expires_at: expiresAt(attempt.lease, engine.clock.now()),
    minutes: attempt.minutesMax ?? null,
    lock_scope: moved.assignment?.lock_scope ?? [],
    fix_delta: moved.fixDelta,
  };
  return { verdict: allow(details), change };
}

/** S2-033: the named agent must be allowed for the task's type. */
function refuseAgent({ limits }: Engine, type: string | null, agent: string): Deny | undefined {
  if (type === null || agent === unnamedAgent || !Object.hasOwn(limits.implementers, type)) return undefined;
  const allowed = limits.implementers[type] ?? [];
  if (allowed.includes(agent)) return undefined;
  const named = allowed.length === 0 ? "no agent" : `\`${allowed.join("` or `")}\``;
  const reason = `\`${agent}\` may not work on tasks of type \`${type}\`: use ${named} as \`agent\``;
  return deny("R-IN-001", reason, { type, agent, allowed });
}

/** An expired lease is reclaimed at once, so that the dispatch does not depend on a running watchdog. */
async function judgeFreed(engine: Engine, packet: Packet): Promise<Judged> {
  for (;;) {
    const judged = await judgeDispatch(engine, packet);
    if (judged.conflict === undefined || !(await reclaimIfLapsed(engine, judged.conflict, "dispatch")))
      return judged;
  }
}

/** Scope that was granted earlier stays granted; if another task holds it now, the task waits as for any lock. */
function widened(packet: Packet, stored: Task | undefined, { world }: Engine): Packet {
  const assignment = withGranted(packet.assignment, stored?.granted, world);
  const { lock_scope } = assignment;
  // The original document is judged, including any errors in it.
  const given = packet.document.assignment as object;
  return assignment === packet.assignment
    ? packet
    : { ...packet, assignment, document: { ...packet.document, assignment: { ...given, lock_scope } } };
}

/** Values in the packet replace those with which the task was added. */
function packetTask(task: Task, packet: Packet): Task {
  return {
    ...task,
    title: packet.title ?? task.title,
    type: packet.type ?? task.type ?? null,
    model: packet.model ?? task.model,
    dependsOn: packet.dependsOn ?? task.dependsOn,
    assignment: packet.assignment,
    contextRevision: packet.contextRevision,
    ...delegatorIn(packet),
    // Each role of a session has its own budget.
    ...(isMeta(task.key) ? forgiven(task) : {}),
  };
}

interface Ready {
  readonly stored: Task | undefined;
  readonly task: Task;
  readonly judged: Judged;
}

/** A blocked task must be unblocked first: automatically, or by the single retry that a changed assignment allows. */
async function makeReady(draft: Draft, { stored, task, judged }: Ready): Promise<Task | Deny> {
  if (stored === undefined || task.state !== "BLOCKED") return task;
  const { verdict } = judged;
  const isHeld = !verdict.allow && verdict.code === "R-PD-003";
  if (task.hold?.kind === "stopped" && isHeld) return verdict;
  if (task.hold?.kind === "stopped")
    return deny(
      "R-ST-001",
      `task \`${task.key}\` was stopped by a person: restart it with \`lockstep task retry ${task.key}\``,
      { task_id: task.key, state: task.state },
    );
  if (task.hold?.kind === "deny" || task.hold?.kind === "reported") {
    const assignmentChanged = !sameAssignment(stored, task);
    return draft.apply(task, { type: "retry", assignmentChanged });
  }
  if (verdict.allow && (await unmerged(draft, task)).length === 0)
    return draft.apply(task, { type: "unblock" }, "system");
  // Still waiting: the answer is the same, and nothing changes.
  if (verdict.allow) return notYet(await unmerged(draft, task), task);
  if (isHeld) return verdict;
  return draft.apply(task, { type: "unblock" }, "system");
}

async function eventFor(
  draft: Draft,
  { task, packet, judged }: { task: Task; packet: Packet; judged: Judged },
): Promise<TaskEvent> {
  const { verdict } = judged;
  if (!verdict.allow) {
    const { code, reason, details } = verdict;
    const refusal = { code, reason, details };
    if (code !== "R-PD-003") return { type: "deny", refusal, fingerprint: fingerprintOf(refusal) };
    return { type: "wait", refusal, hold: { kind: "lock", by: judged.conflict ?? null } };
  }
  const waitingFor = await unmerged(draft, task);
  const { machine } = draft.engine;
  if (waitingFor.length === 0 || task.state !== "PENDING")
    return { type: "start", agent: packet.agent, waitingFor, ...(machine === undefined ? {} : { machine }) };
  const down = await downUpstream(draft, task);
  const refusal = down === undefined ? notYet(waitingFor, task) : orphanOf(task, down).refusal;
  const { code, reason, details } = refusal;
  const hold = { kind: "dependency", by: down ?? waitingFor[0] ?? null } as const;
  return { type: "wait", refusal: { code, reason, details }, hold };
}

function notYet(waitingFor: readonly string[], task: Task): Deny {
  return deny(
    "R-PE-001",
    `task \`${task.key}\` waits for \`${waitingFor.join("`, `")}\`, which must be merged first`,
    {
      task_id: task.key,
      waiting_for: waitingFor,
    },
  );
}

function verdictOf(event: TaskEvent, { verdict }: Judged): Deny {
  if (!verdict.allow) return verdict;
  if (event.type !== "wait" || event.refusal.code === null) throw new Error(`${event.type} is not a refusal`);
  return deny(event.refusal.code, event.refusal.reason, event.refusal.details);
}

async function refused(
  draft: Draft,
  { moved, verdict }: { moved: Task; verdict: Deny },
): Promise<Settled<Deny>> {
  const tasks = await dependencyVersions(draft, moved);
  if (!(await announceWaiting(draft, moved))) return "retry";
  const details = { ...verdict.details, state: moved.state };
  return { verdict: { ...verdict, details }, change: await draft.toChange({ expect: { tasks } }) };
}

/**
 * The next step of the other task wakes the waiting one. That step must not have happened already, nor be decided
 * without knowing about the waiting task, so the other task gets a new version with this change. Returns false if
 * the other task has released its locks or was merged meanwhile.
 */
async function announceWaiting(draft: Draft, { hold }: Task): Promise<boolean> {
  const other = hold?.by == null ? undefined : await draft.task(hold.by);
  if (hold === null || other === undefined) return true;
  const isFree =
    hold.kind === "lock"
      ? (await draft.engine.ledger.locks({ task: other.key, active: true })).length === 0
      : isIn(other);
  if (!isFree) draft.putTask(other);
  return !isFree;
}

function runnerOf(engine: Engine, { runnerPid }: DispatchInput) {
  return runnerPid === undefined ? null : (engine.identityOf(runnerPid) ?? null);
}
