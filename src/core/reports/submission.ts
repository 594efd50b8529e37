/** What an agent hands in at the end of an attempt. */
export type Submission = ResultSubmission | ErrorSubmission | Escalation;

export interface ResultSubmission {
  readonly kind: "result";
  readonly status: "done" | "blocked" | "failed";
  /** What PostExecution takes under `result`. */
  readonly result: HookResult;
  /**
   * The agent's output says nothing that counts about criteria: then the result's `acceptance_check` is empty,
   * and Lockstep's own evidence belongs there.
   */
  readonly agentForm: boolean;
  /** What the agent says of the criteria, whether or not it counts. */
  readonly claims: readonly Claim[];
  /** Why it is not done, in the agent's words. */
  readonly reason: string | undefined;
}

interface HookResult {
  readonly status: ResultSubmission["status"];
  readonly changes: readonly { readonly resource: string; readonly action: string }[];
  readonly acceptance_check: readonly Claim[];
  readonly worklog_path?: string;
  readonly notes_for_orchestrator: readonly string[];
}

export interface Claim {
  readonly criterion: string;
  readonly status: string;
  /** Blank where there is none. */
  readonly evidence: string;
}

export interface ErrorSubmission {
  readonly kind: "error";
  readonly report: ErrorReport;
}

interface ErrorReport {
  readonly taskId: string;
  readonly agent: string;
  readonly errorType: (typeof errorTypes)[number];
  readonly message: string;
  readonly stackTrace: string | undefined;
  readonly attemptedFix: string;
  readonly retryCount: number;
  readonly recommendation: string;
}

export const errorTypes = ["compile", "test", "runtime", "scope_violation", "blocked"] as const;

export interface Escalation {
  readonly kind: "escalation";
  readonly taskId: string;
  readonly reason: string;
  readonly attemptedPaths: readonly string[];
  readonly blockers: readonly string[];
}

/** What has to be known of the task that is reported on. */
export interface ReportedTask {
  readonly id: string;
  readonly criteria: readonly string[];
  readonly worklogPath: string | undefined;
}
