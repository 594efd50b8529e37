import type { z } from "zod";
import type { ConfigDocument } from "./config-document.ts";
import type { ConfigFault } from "./config-fault.ts";
import { expectedText, faultsOfIssues, type Issue } from "./config-issues.ts";

export type Judged<Found> = Found | { readonly faults: readonly ConfigFault[] };

/** The document as its schema reads it; or all its faults, including the `further` issues. */
export function judgeDocument<Schema extends z.ZodType>(
  document: ConfigDocument,
  schema: Schema,
  further: readonly Issue[] = [],
): Judged<{ data: z.output<Schema> }> {
  const { data, error } = schema.safeParse(document.value, { error: expectedText });
  if (error === undefined && document.faults.length === 0 && further.length === 0) return { data };
  const found = faultsOfIssues(document, [...(error?.issues ?? []), ...further]);
  const known = new Set(document.faults.map(({ path }) => path));
  return { faults: [...document.faults, ...found.filter(({ path }) => !known.has(path))].sort(inOrder) };
}

function inOrder(one: ConfigFault, other: ConfigFault): number {
  const lines = (one.line ?? 0) - (other.line ?? 0);
  return lines === 0 ? (one.column ?? 0) - (other.column ?? 0) : lines;
}
