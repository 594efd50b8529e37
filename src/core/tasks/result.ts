import { field, isStringList } from "../values/fields.ts";

/**
 * What an attempt handed in, in any of the forms that agents answer in, with what Lockstep counted beside it. Only
 * this module looks into it once it is stored.
 */

/** What its agent reports beyond its work, and what of its words neither the work nor a proof shows. */
export function reportedIn(result: unknown) {
  const artifacts = artifactsIn(result);
  return {
    manual_steps: listed(artifacts, "manual_steps"),
    tests_added_or_updated: listed(artifacts, "tests_added_or_updated"),
    unproven_claims: listed(result, "unproven_claims"),
    unproven_deeds: listed(result, "unproven_deeds"),
  };
}

/** What Lockstep notes in a report that it wrote itself. */
export const synthesised = "report: synthesised";

/** Whether Lockstep wrote it, because the agent gave none that could be used. */
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

/** What its agent says of the criteria, one by one; undefined where it says nothing. */
export function acceptanceCheckIn(result: unknown): readonly unknown[] | undefined {
  const said = field(field(result, "result") ?? result, "acceptance_check");
  return Array.isArray(said) ? said : undefined;
}
