import { field, isStringList } from "../values/fields.ts";

/**
 * What an attempt handed in, in any of the forms that agents answer in, with what Lockstep counted beside it. Only
 * this module looks into it once it is stored.
 */

/** What its agent says that it did, and its work does not show. */
export function unprovenClaimsIn(result: unknown): readonly string[] {
  const listed = field(result, "unproven_claims");
  return isStringList(listed) ? listed : [];
}

/** What its agent says of the criteria, one by one; undefined where it says nothing. */
export function acceptanceCheckIn(result: unknown): readonly unknown[] | undefined {
  const said = field(field(result, "result") ?? result, "acceptance_check");
  return Array.isArray(said) ? said : undefined;
}
