import type { Finding, Rule } from "../rules/rule.ts";
import type { Details } from "../rules/verdict.ts";
import { field, isLine, isObject } from "../values/fields.ts";
import type { Ports, Saved, Snapshot } from "./ports.ts";
import { problem, type Reading, rule, unreadable } from "./reading.ts";

export interface CompactFacts {
  /** Saves the snapshot on the first call and returns the same result on later calls. */
  save(): Promise<Saved>;
}

const parts = ["ledger", "locks", "blockers", "learnings"] as const satisfies readonly (keyof Snapshot)[];

export function factsOf(payload: unknown, ports: Pick<Ports, "saveSnapshot">): Reading<CompactFacts> {
  const session = field(payload, "session");
  if (session !== undefined && !isLine(session))
    return problem("`session` is not a one-line string", { field: "session" });
  const snapshot = field(payload, "snapshot");
  if (!isObject(snapshot))
    return problem("`snapshot` is missing: give ledger, locks, blockers and learnings", { missing: parts });
  const missing = parts.filter((part) => !Array.isArray(field(snapshot, part)));
  if (missing.length > 0)
    return problem(`\`snapshot.${missing[0]}\` is missing or not a list: an empty one is fine`, { missing });
  let saved: Promise<Saved> | undefined;
  const save = () => {
    saved ??= ports.saveSnapshot(session, snapshotOf(snapshot));
    return saved;
  };
  return { facts: { save } };
}

export const rules: readonly Rule<Reading<CompactFacts>>[] = [
  unreadable("R-CP-001"),
  rule("R-CP-002", findUnsaved),
];

export async function allowDetails(reading: Reading<CompactFacts>): Promise<Details> {
  return "facts" in reading ? { ...(await reading.facts.save()) } : {};
}

function snapshotOf(snapshot: object): Snapshot {
  const part = (name: keyof Snapshot) => field(snapshot, name) as readonly unknown[];
  return {
    ledger: part("ledger"),
    locks: part("locks"),
    blockers: part("blockers"),
    learnings: part("learnings"),
  };
}

async function findUnsaved({ save }: CompactFacts): Promise<Finding | undefined> {
  const saved = await save();
  return "error" in saved ? { reason: `the snapshot cannot be written: ${saved.error}` } : undefined;
}
