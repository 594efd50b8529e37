import { hash } from "node:crypto";
import type { LedgerEvent, NewEvent } from "./ledger.ts";

/** The place in the chain that the next event follows. */
export type Tail = Pick<LedgerEvent, "seq" | "hash">;

/** What the first event follows. */
export const beginning: Tail = { seq: 0, hash: "0".repeat(64) };

/**
 * The next link. It is computed from the values and not from a stored text, so that every engine and every
 * program that reads the events comes to the same.
 */
export function link(tail: Tail, event: NewEvent & Partial<Tail>): LedgerEvent {
  const { hash: _, ...told } = event;
  const next = { ...told, data: told.data ?? null, seq: tail.seq + 1 };
  return { ...next, hash: hash("sha256", `${tail.hash}\n${canonicalJson(next)}`) };
}

/** JSON without spaces and with the names of every object in order. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
}
