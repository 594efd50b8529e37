import type { TaskName } from "../../core/names/task-name.ts";
import { noRetries } from "../../core/tasks/counters.ts";
import type { Task } from "../../core/tasks/task.ts";

/** A task that is not in the ledger yet. */
export function newTask({ key, id, session }: TaskName, at: string): Task {
  return {
    key,
    id,
    session,
    version: 0,
    state: "PENDING",
    title: null,
    agent: null,
    model: null,
    assignment: null,
    contextRevision: null,
    terms: null,
    dependsOn: [],
    counters: noRetries,
    streak: null,
    refusal: null,
    hold: null,
    fixDelta: null,
    attempts: 0,
    epoch: 0,
    tokens: 0,
    tokensForgiven: 0,
    result: null,
    proof: null,
    commit: null,
    evidence: [],
    batch: null,
    revertedBy: null,
    resolution: null,
    createdAt: at,
    updatedAt: at,
  };
}
