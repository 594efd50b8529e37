/** What an agent submits at the end of an attempt. */
export type Submission = ResultSubmission | ErrorSubmission | Escalation;

export interface ResultSubmission {
  readonly kind: "result";
  readonly status: "done" | "blocked" | "failed";
  /** The `result` for PostExecution. */
  readonly result: HookResult;
  /**
   * True for an agent's output, whose statements about criteria do not count: `acceptance_check` is empty, and Lockstep
   * fills in its own evidence.
   */
  readonly agentForm: boolean;
  /** The agent's statements about the criteria, whether or not they count. */
  readonly claims: readonly Claim[];
  /** The agent's reason for not being done. */
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
  /** Empty if there is none. */
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

/** The parts of the reported task that reading a submission needs. */
export interface ReportedTask {
  readonly id: string;
  readonly criteria: readonly string[];
  readonly worklogPath: string | undefined;
}
