import { unknownTask } from "../../core/names/task-name.ts";
import { allow, deny, type Verdict } from "../../core/rules/verdict.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { TaskEvent } from "../../core/tasks/task-event.ts";
import { findMerging } from "../change/base-moves.ts";
import type { Admitted } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { checkFence, loadTask } from "../change/fence.ts";
import { maskedPacket } from "../change/masked-input.ts";
import { settle } from "../change/settle.ts";
import { type Packet, readPacket } from "../dispatch/read-packet.ts";
import { sameAssignment } from "../dispatch/same-assignment.ts";
import { withGranted } from "../dispatch/with-granted.ts";
import { findBadScopes } from "./add-task.ts";
import { redoRolledBack } from "./redo-task.ts";

interface Moving {
  readonly operation: string;
  readonly task: string;
  readonly input: unknown;
  readonly call: Admitted;
}

/** One step of the state machine, requested by an operation. */
function move(
  engine: Engine,
  { operation, task: key, input, call }: Moving,
  eventsFor: (task: Task) => { readonly task: Task; readonly events: readonly TaskEvent[] },
): Promise<Verdict> {
  return settle(engine, { operation, input, call }, async () => {
    const loaded = await loadTask(engine, key);
    if (loaded === undefined) return { verdict: unknownTask(key) };
    const { task: stored, attempt } = loaded;
    if (operation === "task-escalate" && (call.role === "attempt" || call.epoch !== undefined)) {
      const fenced = checkFence(engine, key, attempt, call);
      if (fenced !== undefined) return { verdict: fenced };
    }
    const merging = stored.state === "REVIEW" ? await findMerging(engine, key) : undefined;
    if (merging !== undefined) return { verdict: merging };
    const draft = new Draft(engine, { by: call, cause: operation }).seen(loaded);
    const { task, events } = eventsFor(stored);
    let current = task;
    for (const event of events) {
      const moved = await draft.apply(current, event);
      if ("allow" in moved) return { verdict: moved };
      current = moved;
    }
    const details = { task_id: key, state: current.state };
    return { verdict: allow(details), change: await draft.toChange() };
  });
}

interface Reasoned {
  readonly task: string;
  readonly reason: string;
}

export function escalateTask(engine: Engine, input: Reasoned, call: Admitted): Promise<Verdict> {
  return move(engine, { operation: "task-escalate", task: input.task, input, call }, (task) => ({
    task,
    events: [{ type: "escalate", reason: input.reason, recommendation: null }],
  }));
}

export function cancelTask(engine: Engine, input: Reasoned, call: Admitted): Promise<Verdict> {
  return move(engine, { operation: "task-cancel", task: input.task, input, call }, (task) => ({
    task,
    events: [{ type: "cancel", reason: input.reason }],
  }));
}

/** Ends the attempt; its checkout, its work and its log stay. Only a person can restart the task. */
export function stopTask(engine: Engine, input: { readonly task: string }, call: Admitted): Promise<Verdict> {
  return move(engine, { operation: "stop", task: input.task, input, call }, (task) => ({
    task,
    events: [{ type: "stop" }],
  }));
}

/** A failed task is escalated first, because a person now handles it. */
export function resolveTask(
  engine: Engine,
  input: { readonly task: string; readonly note: string },
  call: Admitted,
): Promise<Verdict> {
  return move(engine, { operation: "task-resolve", task: input.task, input, call }, (task) => ({
    task,
    events: [
      ...(task.state === "FAILED"
        ? [{ type: "escalate" as const, reason: "resolved by a person", recommendation: null }]
        : []),
      { type: "resolve", note: input.note },
    ],
  }));
}

/** The single retry that a changed assignment allows; `packet` holds the change. */
export async function retryTask(
  engine: Engine,
  input: { readonly task: string; readonly packet?: unknown },
  call: Admitted,
): Promise<Verdict> {
  if ((await engine.ledger.task(input.task))?.revertedBy != null)
    return redoRolledBack(engine, input.task, call);
  const masked = input.packet === undefined ? undefined : await maskedPacket(input.packet);
  if (masked !== undefined && "allow" in masked) return masked;
  const packet = masked === undefined ? undefined : readPacket(masked.packet);
  if (packet !== undefined && "allow" in packet) return packet;
  if (packet !== undefined && packet.name.key !== input.task)
    return deny("R-IN-001", `the packet is for task \`${packet.name.key}\`, not for \`${input.task}\``);
  // As when a task is added: a person's terms stay, so it must be possible to meet them.
  const wrong = packet === undefined ? undefined : await findBadScopes(engine, packet);
  if (wrong !== undefined) return wrong;
  return move(engine, { operation: "task-retry", task: input.task, input, call }, (stored) => {
    const changed =
      packet === undefined
        ? stored
        : {
            ...stored,
            type: packet.type ?? stored.type ?? null,
            assignment: withGranted(packet.assignment, stored.granted, engine.world),
            contextRevision: packet.contextRevision,
            // A person retries the task, and may change the terms that a person has set.
            terms: stored.terms === null ? null : { ...stored.terms, ...changedTerms(packet) },
          };
    return {
      task: changed,
      events: [{ type: "retry", assignmentChanged: !sameAssignment(stored, changed) }],
    };
  });
}

function changedTerms({ document, type }: Packet) {
  const assignment = document.assignment ?? {};
  return type === undefined ? { assignment } : { assignment, type };
}
