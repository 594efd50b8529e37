import { checklistFor } from "../../core/session/checklists.ts";
import type { PlannedAssignment } from "../../core/tasks/assignment.ts";

/** The input of agents: one document for programs, and the same as a prompt for clients (`promptFor`). */

/** A task of a plan. */
export interface PlannedTask {
  readonly id: string;
  readonly title: string;
  readonly goal: string;
  readonly lock_scope: readonly string[];
  readonly forbidden_scope?: readonly string[];
  readonly acceptance_checks: readonly string[];
  readonly timeout_seconds: number;
  readonly heartbeat_interval_seconds: number;
  readonly non_goals?: readonly string[];
  readonly context_files?: readonly string[];
  readonly constraints?: readonly string[];
  readonly forbidden_actions?: readonly string[];
  readonly evidence?: readonly string[];
  readonly risk_flags?: readonly string[];
  readonly done_when?: readonly string[];
  readonly files_expected?: readonly string[];
}

type ChangedFile =
  | { readonly path: string; readonly change_type: "added" | "modified" | "deleted" }
  | { readonly path: string; readonly old_path: string; readonly change_type: "renamed" };

/** What the last review refused, and the ref with that work. */
interface FixDelta {
  readonly code: string | null;
  readonly reason: string;
  readonly guidance: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly previous_ref: string;
}

export interface AttemptFacts {
  /** The dispatched assignment, which may be wider than the planned one. */
  readonly assignment: PlannedAssignment;
  /** From 1. */
  readonly attempt: number;
  readonly fixDelta: FixDelta | null;
  readonly branch: string;
  readonly projectType: string;
  readonly role: string;
  /** The files to review; only a Reviewer gets this list (S4-021, S4-022). */
  readonly changedFiles?: readonly ChangedFile[];
  /** The session's existing files. */
  readonly artifacts?: readonly string[];
  readonly ciStatus?: "unknown" | "green" | "red";
  readonly lastFailedStep?: string | null;
}

export type UniversalInput = ReturnType<typeof universalInput>;

export function assignmentOf(task: PlannedTask, worklogPath: string): PlannedAssignment {
  const { evidence = [] } = task;
  return {
    lock_scope: task.lock_scope,
    forbidden_scope: task.forbidden_scope ?? [],
    acceptance_criteria: task.acceptance_checks,
    worklog_path: worklogPath,
    timeout_seconds: task.timeout_seconds,
    heartbeat_interval_seconds: task.heartbeat_interval_seconds,
    objective: task.goal,
    forbidden_actions: task.forbidden_actions ?? [],
    evidence: evidence.length > 0 ? evidence : task.acceptance_checks,
  };
}

export function universalInput(task: PlannedTask, facts: AttemptFacts) {
  const { assignment, attempt, fixDelta, branch, projectType, role, changedFiles = [] } = facts;
  const { artifacts = [], ciStatus = "unknown", lastFailedStep = null } = facts;
  return {
    role,
    task: {
      id: task.id,
      title: task.title,
      goal: task.goal,
      non_goals: task.non_goals ?? [],
      context_files: task.context_files ?? [],
      session_changed_files: role === "Reviewer" ? changedFiles : [],
      constraints: task.constraints ?? [],
      acceptance_checks: task.acceptance_checks,
      risk_flags: task.risk_flags ?? ["none"],
      done_when: task.done_when ?? [],
      files_expected: task.files_expected ?? [],
    },
    project_type: projectType,
    repo_state: { branch, ci_status: ciStatus, last_failed_step: lastFailedStep },
    tools_available: ["read_file", "write_file", "apply_patch", "run_cmd", "search_repo"],
    artifact_list: artifacts,
    checklist: checklistFor(
      role,
      projectType,
      changedFiles.map(({ path }) => path),
    ),
    assignment,
    attempt,
    fix_delta: fixDelta,
    worklog_path: assignment.worklog_path,
  } as const;
}
