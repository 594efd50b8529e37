import type { Config } from "../../contract/config.ts";
import type { Details } from "../../core/rules/verdict.ts";

export const hookPoints = ["before_submit", "after_submit", "before_merge", "after_merge"] as const;

export type HookPoint = (typeof hookPoints)[number];

type HookStatus = "SUCCESS" | "FAILURE" | "SKIP";

export interface HookResult {
  readonly status: HookStatus;
  readonly message: string;
  /** Data for later hooks and the caller, such as `pr_url`. */
  readonly context: Details;
  /** The prompt with which an agent can be asked to fix the failure. */
  readonly remediation_prompt?: string;
}

/** The input of a hook; a program gets it as JSON on stdin. */
export interface HookContext {
  readonly hook_point: HookPoint;
  readonly task_id: string;
  readonly task_title: string;
  readonly task_path: string | null;
  readonly task_type: string | null;
  readonly branch_name: string;
  readonly base_branch: string;
  readonly worktree: string;
  readonly agent_name: string;
  readonly commits_count: number;
  /** Data from the caller and from the earlier hooks. */
  readonly extra: Details;
}

/** A hook as configured. */
export type ConfiguredHook = NonNullable<Config["hooks"][HookPoint]>[number];

export function success(message: string, context: Details = {}): HookResult {
  return { status: "SUCCESS", message, context };
}

export function skip(message: string, context: Details = {}): HookResult {
  return { status: "SKIP", message, context };
}

export function failure(
  message: string,
  { context = {}, prompt }: { readonly context?: Details; readonly prompt?: string | undefined } = {},
): HookResult {
  const failed = { status: "FAILURE", message, context } as const;
  return prompt === undefined ? failed : { ...failed, remediation_prompt: prompt };
}
