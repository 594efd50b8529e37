import { sampleTask } from "../../../test/support/sample-task.ts";
import type { Actor } from "./task.ts";
import type { TaskEvent, TaskEventType } from "./task-event.ts";

const limits = { reviewRetries: 3, sameError: 3 };
export const refusal = { code: "R-PO-002", reason: "outside", details: {} } as const;
export const fixDelta = { ...refusal, guidance: "undo it" };

/** An event of each kind that no guard would refuse. */
export const events: { readonly [Type in TaskEventType]: Extract<TaskEvent, { type: Type }> } = {
  start: { type: "start", agent: "coder", waitingFor: [] },
  submit: { type: "submit", hasEvidence: true },
  merge: { type: "merge", commit: "abc", proof: "claimed" },
  reject: { type: "reject", fixDelta, fingerprint: "f1" },
  exhaust: { type: "exhaust" },
  block: { type: "block", refusal, fingerprint: "f1" },
  deny: { type: "deny", refusal, fingerprint: "f1" },
  wait: { type: "wait", refusal, hold: { kind: "lock", by: "T-2" } },
  orphan: { type: "orphan", refusal, by: "T-2" },
  lose: { type: "lose", reason: "runner_lost" },
  stop: { type: "stop" },
  halt: { type: "halt", refusal },
  retry: { type: "retry", assignmentChanged: true },
  unblock: { type: "unblock" },
  escalate: { type: "escalate", reason: "stuck", recommendation: null },
  resolve: { type: "resolve", note: "use the other API" },
  cancel: { type: "cancel", reason: "not needed" },
};
export const eventTypes = Object.keys(events) as TaskEventType[];

export const by = (actor: Actor) => ({ by: actor, limits });

export const held = (kind: "deny" | "reported" | "stopped" | "lock") =>
  sampleTask({ state: "BLOCKED", hold: { kind, by: "T-2" } });
