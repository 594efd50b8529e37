import type { Config } from "../../contract/config.ts";
import type { Details } from "../../core/rules/verdict.ts";

export const hookPoints = ["before_submit", "after_submit", "before_merge", "after_merge"] as const;

export type HookPoint = (typeof hookPoints)[number];

type HookStatus = "SUCCESS" | "FAILURE" | "SKIP";

export interface HookResult {
  readonly status: HookStatus;
  readonly message: string;
  /** What later hooks and the caller get to know, such as `pr_url`. */
  readonly context: Details;
  /** What an agent could be asked to do about a failure. */
  readonly remediation_prompt?: string;
}

/** What a hook is told; a program gets it on stdin as it stands here. */
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
  /** What the caller adds, and the context of the hooks before. */
  readonly extra: Details;
}

/** A hook as a configuration holds it. */
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
