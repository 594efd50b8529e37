import { hash } from "node:crypto";
import type { LedgerEvent, NewEvent } from "./ledger.ts";

/** The end of the chain: the event that the next one follows. */
export type Tail = Pick<LedgerEvent, "seq" | "hash">;

/** The end of an empty chain. */
export const beginning: Tail = { seq: 0, hash: "0".repeat(64) };

/**
 * Makes the next link of the chain. The hash is computed from values, not from a stored text, so that every
 * storage engine and every program that reads the events computes the same hash.
 */
export function link(tail: Tail, event: NewEvent & Partial<Tail>): LedgerEvent {
  const { hash: _, ...fields } = event;
  const next = { ...fields, data: fields.data ?? null, seq: tail.seq + 1 };
  return { ...next, hash: hash("sha256", `${tail.hash}\n${canonicalJson(next)}`) };
}

/**
 * The text that `link` hashes, around the number of the event: for an engine that knows the number only when it
 * stores the event.
 */
export function textAroundSeq(event: NewEvent): { readonly before: string; readonly after: string } {
  const fields = { ...event, data: event.data ?? null };
  const part = (isPart: (name: string) => boolean) =>
    canonicalJson(Object.fromEntries(Object.entries(fields).filter(([name]) => isPart(name)))).slice(1, -1);
  const [before, after] = [part((name) => name < "seq"), part((name) => name > "seq")];
  return {
    before: `{${before}${before === "" ? "" : ","}"seq":`,
    after: `${after === "" ? "" : ","}${after}}`,
  };
}

/** JSON without spaces, with the keys of every object sorted. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
}
