import type { Details } from "../../core/rules/verdict.ts";
import { isObject } from "../../core/values/fields.ts";

/** A packet may extend these lists of a manually added task, but not shorten them. */
const kept = ["acceptance_criteria", "forbidden_scope", "uses"];

/** The effective packet of a task with terms: the terms supply what the packet leaves out. */
export function withTerms(packet: unknown, terms: Details | null): unknown {
  if (terms === null || !isObject(packet)) return packet;
  const own = packet.assignment ?? {};
  if (!isObject(own)) return packet;
  const base = isObject(terms.assignment) ? terms.assignment : {};
  const assignment: Record<string, unknown> = { ...base, ...own };
  for (const name of kept) assignment[name] = union(base[name], own[name]);
  const { type, depends_on } = terms;
  return {
    ...terms,
    ...packet,
    // The type decides which reviews the work needs.
    ...(type == null ? {} : { type }),
    assignment: defined(assignment),
    depends_on: union(depends_on, packet.depends_on ?? own.depends_on) ?? [],
  };
}

/** The rules check a value that is not a list. */
function union(base: unknown, own: unknown): unknown {
  if (own == null) return base ?? undefined;
  if (!Array.isArray(base)) return own;
  return Array.isArray(own) ? [...new Set([...base, ...own])] : own;
}

function defined(of: Readonly<Record<string, unknown>>): Details {
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined));
}
