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

/** A run with its key. */
interface KeyedRun extends KeptRun {
  readonly key: string;
  readonly command: string;
  readonly tree: string;
}

/**
 * Stores results of checks. A failure is never reused; it is stored so that a later pass on the same tree is known to be
 * flaky. A pass never replaces a failure.
 */
export interface Reuse {
  find(key: string): Promise<(KeptRun & { readonly at: string }) | undefined>;
  /** Stores all runs or none. */
  keep(runs: readonly KeyedRun[]): Promise<void>;
}

/** Keeps results for the lifetime of the process. */
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

/** Everything that the result of a check depends on. */
export interface CheckInputs {
  readonly tree: string;
  readonly command: string;
  readonly setupKey: string;
  /** Files copied from the main checkout, with a mark of their content. */
  readonly included: readonly (readonly [path: string, mark: string])[];
  readonly env: Readonly<Record<string, string>>;
  /** Whether the check can reach the machine's network. */
  readonly network: boolean;
  /** The kind of sandbox, and what it shows of the person's home. */
  readonly isolation: readonly string[];
  /**
   * The versions of the tools, if several machines prove together. They replace what differs between machines although
   * the result does not: paths, and the version of Lockstep's own Node.
   */
  readonly tools?: readonly (readonly [name: string, version: string])[];
  /** Marks of the programs that the command starts, on one machine. */
  readonly programs?: readonly unknown[];
}

/** Variables with paths of one machine. */
const machineVariables = new Set(["PATH", "HOME"]);

/**
 * `plain` is the key of a run without a change, `told` that of a run that gets the list of changed files. They differ
 * because a check that reads only changed files may have checked nothing in the other run.
 */
export function reuseKeys(
  { tree, command, setupKey, included, env, network, isolation, tools, programs = [] }: CheckInputs,
  facts: readonly string[] | undefined,
): { readonly plain: string; readonly told: string | undefined } {
  const machine: unknown[] = [
    ...[process.platform, process.arch, ...(tools ?? [process.version]), `reporters ${reportersVersion}`],
    ...(network ? [] : ["no network"]),
    ...[isolation, programs],
  ];
  const variables = Object.entries(env).filter(
    ([name]) => tools === undefined || !machineVariables.has(name),
  );
  const inputs = [tree, command, setupKey, included, variables.sort(), machine];
  const keyOf = (more: readonly unknown[]) =>
    createHash("sha256")
      .update(JSON.stringify([...inputs, ...more]))
      .digest("hex");
  return { plain: keyOf([]), told: facts && keyOf([facts]) };
}

const keptLengthMax = 4 * 1024 * 1024;

/** The tests of a pass, packed. Undefined if they cannot all be stored; the pass is not stored then. */
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

/** An earlier failure, without the path of its output if that was deleted. */
export function readable({ at, exit, seconds, digest, tail, excerpt, log }: EarlierFailure): EarlierFailure {
  return {
    ...{ at, exit, seconds, digest, tail },
    ...(excerpt === undefined ? {} : { excerpt }),
    ...(log === undefined || !existsSync(log) ? {} : { log }),
  };
}
