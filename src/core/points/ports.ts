import type { Disk, Place } from "../paths/place.ts";
import type { BreakerMode } from "../rules/breaker.ts";
import type { PointName } from "./points.ts";

/** What the rules need from outside the core. */
export interface Ports {
  readonly place: Place;
  readonly disk: Disk;
  findSecrets(text: string): Promise<readonly { readonly rule: string }[]>;
  saveSnapshot(session: string | undefined, snapshot: Snapshot): Promise<Saved>;
  /** Fills in facts that the document omits, if a ledger has them. */
  complete?(point: PointName, document: unknown): Promise<unknown>;
  /** The circuit breaker that a person may have set. */
  breaker?(): BreakerMode;
}

/** The state that must survive a compaction of the orchestrator's context. */
export interface Snapshot {
  readonly ledger: readonly unknown[];
  readonly locks: readonly unknown[];
  readonly blockers: readonly unknown[];
  readonly learnings: readonly unknown[];
}

export type Saved = { readonly path: string } | { readonly error: string };
