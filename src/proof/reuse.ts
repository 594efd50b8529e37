import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { deflateSync, inflateSync } from "node:zlib";
import type { CheckRun, EarlierFailure } from "../core/proof/check-record.ts";
import { type Inventory, packInventory, unpackInventory } from "../core/proof/inventory.ts";
import { reportersVersion } from "./reporters.ts";

interface KeptRun extends CheckRun {
  /** Packed, compressed and in base64. */
  readonly inventory?: string;
}

/** A run, with what it is found by. */
interface KeyedRun extends KeptRun {
  readonly key: string;
  readonly command: string;
  readonly tree: string;
}

/**
 * Where outcomes are kept. A failure is run again each time; it is kept so that a pass after it is known for chance,
 * and no pass takes its place.
 */
export interface Reuse {
  find(key: string): Promise<(KeptRun & { readonly at: string }) | undefined>;
  /** All of them or none. */
  keep(runs: readonly KeyedRun[]): Promise<void>;
}

/** As long as the process lives. */
export function reuseInMemory(): Reuse {
  const kept = new Map<string, KeptRun & { readonly at: string }>();
  return {
    find: async (key) => kept.get(key),
    keep: async (runs) => {
      const at = new Date().toISOString();
      for (const run of runs)
        if (run.exit !== 0 || (kept.get(run.key)?.exit ?? 0) === 0) kept.set(run.key, { ...run, at });
    },
  };
}

/** Everything that the outcome of a check is made from. */
export interface CheckInputs {
  readonly tree: string;
  readonly command: string;
  readonly setupKey: string;
  /** The files that it has from the main checkout, and what they hold. */
  readonly included: readonly (readonly [path: string, mark: string])[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * `plain` is the key of a run that is told of no change, `told` that of one that is: a check that looks only at what
 * changed may have looked at nothing, so that neither stands in for the other.
 */
export function reuseKeys(
  { tree, command, setupKey, included, env }: CheckInputs,
  facts: readonly string[] | undefined,
): { readonly plain: string; readonly told: string | undefined } {
  const machine = [process.platform, process.arch, process.version, `reporters ${reportersVersion}`];
  const inputs = [tree, command, setupKey, included, Object.entries(env).sort(), machine];
  const keyOf = (more: readonly unknown[]) =>
    createHash("sha256")
      .update(JSON.stringify([...inputs, ...more]))
      .digest("hex");
  return { plain: keyOf([]), told: facts && keyOf([facts]) };
}

const keptLengthMax = 4 * 1024 * 1024;

/** What a kept pass says of its tests; undefined if not all of them can be kept, so that it is run again. */
export function keepInventory(inventory: Inventory | null): Pick<KeptRun, "inventory"> | undefined {
  if (inventory === null) return {};
  if (inventory.cut !== null) return undefined;
  const text = deflateSync(packInventory(inventory)).toString("base64");
  return text.length > keptLengthMax ? undefined : { inventory: text };
}

export function keptInventory({ inventory }: KeptRun): Inventory | null {
  return inventory === undefined
    ? null
    : unpackInventory(inflateSync(Buffer.from(inventory, "base64")).toString());
}

/** Its output may be gone by now. */
export function readable({ at, exit, seconds, digest, tail, excerpt, log }: EarlierFailure): EarlierFailure {
  return {
    ...{ at, exit, seconds, digest, tail },
    ...(excerpt === undefined ? {} : { excerpt }),
    ...(log === undefined || !existsSync(log) ? {} : { log }),
  };
}
