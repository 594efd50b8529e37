import { type Deny, type Details, deny } from "../../core/rules/verdict.ts";
import { contextOf, type HooksRun, type NamedResult } from "./run-hooks.ts";

const remediationTurnsMax = 20;

export type Submission = {
  readonly results: readonly NamedResult[];
  /** Stored with the task: `pr_url`, and `pushed` for the next push. */
  readonly context: Details;
} & (
  | { readonly ok: true }
  | { readonly ok: false; readonly needsContinuation: "hook_failure"; readonly refused: Deny }
);

export type Remediate = (prompt: string, limits: { readonly maxTurns: number }) => Promise<void>;

/**
 * Runs all hooks. If a hook fails with a remediation prompt and there is an agent, the agent is asked once to fix
 * it, and all hooks run again.
 */
export async function submitWithRemediation(
  run: (extra: Details) => Promise<HooksRun>,
  remediate: Remediate | undefined,
): Promise<Submission> {
  const first = await run({});
  const context = contextOf(first.results);
  const prompt = first.results.find(({ remediation_prompt }) => remediation_prompt)?.remediation_prompt;
  if (first.ok || prompt === undefined || remediate === undefined) return submission(first, context);
  try {
    await remediate(prompt, { maxTurns: remediationTurnsMax });
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return submission(first, context, `; the agent could not be asked to fix it: ${cause}`);
  }
  const second = await run(context);
  return submission(second, { ...context, ...contextOf(second.results) });
}

function submission({ ok, results }: HooksRun, context: Details, more = ""): Submission {
  if (ok) return { ok, results, context };
  const {
    hook = "",
    message = "",
    context: details = {},
  } = results.find(({ status }) => status === "FAILURE") ?? {};
  const refused = deny("R-HK-001", `\`${hook}\` failed: ${message}${more}`, { ...details, hook });
  return { ok, needsContinuation: "hook_failure", refused, results, context };
}
