import { field, isObject } from "../core/points/fields.ts";
import type { Details } from "../core/rules/verdict.ts";

/** A packet may add to these lists of a task that was added by hand; it takes nothing away from them. */
const kept = ["acceptance_criteria", "forbidden_scope", "uses"];

/** The packet as it counts for a task with terms: what it leaves out is what the terms say. */
export function withTerms(packet: unknown, terms: Details | null): unknown {
  if (terms === null || !isObject(packet)) return packet;
  const own = field(packet, "assignment") ?? {};
  const base = field(terms, "assignment");
  if (!isObject(own)) return packet;
  const assignment: Record<string, unknown> = { ...(isObject(base) ? base : {}), ...own };
  for (const name of kept) assignment[name] = union(field(base, name), field(own, name));
  const asked = field(packet, "depends_on") ?? field(own, "depends_on");
  const type = field(terms, "type");
  return {
    ...terms,
    ...packet,
    // It decides who has to approve the work.
    ...(type === undefined ? {} : { type }),
    assignment: defined(assignment),
    depends_on: union(field(terms, "depends_on"), asked) ?? [],
  };
}

/** What is no list is left to the rules. */
function union(base: unknown, own: unknown): unknown {
  if (own === undefined) return base;
  if (!Array.isArray(base)) return own;
  return Array.isArray(own) ? [...new Set([...base, ...own])] : own;
}

function defined(of: Readonly<Record<string, unknown>>): Details {
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined));
}
