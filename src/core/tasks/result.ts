import { field, isStringList } from "../values/fields.ts";

/**
 * Reads a stored submission, in any of the accepted forms, together with what Lockstep added to it. No other module
 * looks inside a stored result.
 */

/** What the agent reports besides its work, and its claims that neither the work nor a proof confirms. */
export function reportedIn(result: unknown) {
  const artifacts = artifactsIn(result);
  return {
    manual_steps: listed(artifacts, "manual_steps"),
    tests_added_or_updated: listed(artifacts, "tests_added_or_updated"),
    unproven_claims: listed(result, "unproven_claims"),
    unproven_deeds: listed(result, "unproven_deeds"),
  };
}

/** The note in a report that Lockstep wrote itself. */
export const synthesised = "report: synthesised";

/** True if Lockstep wrote the report because the agent gave no usable one. */
export function isSynthesised(result: unknown): boolean {
  return listed(artifactsIn(result), "notes").includes(synthesised);
}

function artifactsIn(result: unknown): unknown {
  return field(field(result, "result") ?? result, "artifacts");
}

function listed(of: unknown, name: string): readonly string[] {
  const list = field(of, name);
  return isStringList(list) ? list : [];
}

/** The agent's statements about the criteria; undefined if it made none. */
export function acceptanceCheckIn(result: unknown): readonly unknown[] | undefined {
  const said = field(field(result, "result") ?? result, "acceptance_check");
  return Array.isArray(said) ? said : undefined;
}
