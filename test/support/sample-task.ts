import { noRetries } from "../../src/core/tasks/counters.ts";
import type { Task } from "../../src/core/tasks/task.ts";

/** A task in some state, otherwise as new. */
export function sampleTask(changes: Partial<Task> = {}): Task {
  return {
    key: "T-1",
    id: "T-1",
    session: null,
    version: 1,
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
    resolution: null,
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
    ...changes,
  };
}
