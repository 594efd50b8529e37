import type { Details } from "../src/core/rules/verdict.ts";
import { folderOf } from "./lock-paths.ts";

/** A task of the measured ledgers: its key, and its own folder. */
export interface BenchTask {
  readonly key: string;
  readonly folder: string;
}

/** The locks of a task: two for its scope and one for its worklog. */
export const locksPerTask = 3;

/**
 * Keys of adjacent numbers are far apart, so that writes are spread over the tables: the harder case, as with several
 * parallel sessions.
 */
export function taskOf(number: number): BenchTask {
  const spread = Math.imul(number, 0x9e3779b1) >>> 0; // an odd factor, so that all results differ
  const id = spread.toString(36).padStart(7, "0");
  return { key: `t-${id}`, folder: `${folderOf(number)}/${id}` };
}

export function worklogOf({ key }: BenchTask): string {
  return `worklogs/${key}.md`;
}

export function packetOf(task: BenchTask, more: Details = {}): Details {
  return {
    task_id: task.key,
    title: "Round prices half-even",
    agent: "builder",
    assignment: {
      lock_scope: [`${task.folder}/price.ts`, `${task.folder}/parts/**`],
      forbidden_scope: [`${task.folder}/parts/generated`],
      acceptance_criteria: ["all tests pass", "the edge cases of the issue are covered"],
      worklog_path: worklogOf(task),
      timeout_seconds: 86_400,
      heartbeat_interval_seconds: 60,
    },
    ...more,
  };
}

export function resultOf(task: BenchTask): Details {
  const passed = (criterion: string) => ({ criterion, status: "pass", evidence: "npm test: 214 passed" });
  return {
    status: "done",
    changes: [
      { resource: `${task.folder}/price.ts`, action: "edit" },
      { resource: `${task.folder}/parts/edge-cases.ts`, action: "create" },
    ],
    acceptance_check: [passed("all tests pass"), passed("the edge cases of the issue are covered")],
    worklog_path: worklogOf(task),
    notes_for_orchestrator: [
      "Rounded prices half-even and added the edge cases that the issue lists. Nothing is left open.",
    ],
  };
}
