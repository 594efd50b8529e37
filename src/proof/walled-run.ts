import { mkdirSync, statfsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Inventory } from "../core/proof/inventory.ts";
import { removeFolder } from "../workspace/files/remove-folder.ts";
import { type ProcessResult, type ProcessRun, runProcess } from "../workspace/process/run-process.ts";
import { type CheckPlaces, checkWalls } from "../workspace/sandbox/check-walls.ts";
import type { Sandbox } from "../workspace/sandbox/sandbox.ts";
import { type CacheUser, type OpenedCaches, openCaches } from "../workspace/sandbox/tool-caches.ts";
import { placeReporters } from "./reporters.ts";

export interface WalledRun extends Pick<ProcessRun, "command" | "env" | "msMax" | "onOutput" | "abort"> {
  readonly purpose: "check" | "set-up";
  readonly setup: CacheUser;
  readonly tailBytesMax?: number;
  /** What it has to read besides what every command sees. */
  readonly readOnly?: readonly string[];
  /** Paths that the command is told of, by a file of one path a line. */
  readonly changed?: readonly string[];
}

export interface WalledResult extends ProcessResult {
  /** True if there was no space left when it ended. */
  readonly isFull: boolean;
  /** Of a check: the tests that its runners reported; null where none did. */
  readonly inventory: Inventory | null;
}

/** Runs a command in a proof checkout, with a temporary folder that is its own and goes with it. */
export async function runWalled(
  sandbox: Sandbox,
  places: CheckPlaces,
  { command, env, purpose, setup, changed, onOutput, readOnly: needed = [], ...limits }: WalledRun,
): Promise<WalledResult> {
  const { checkout, temporary: outside, commonFolder, home: opened } = places;
  removeFolder(outside);
  mkdirSync(outside, { mode: 0o700 });
  using reporters = purpose === "check" ? placeReporters(join(dirname(outside), "reports")) : undefined;
  try {
    const walls = checkWalls(places, purpose);
    const caches = sandbox.enforces
      ? openCaches({ commonFolder, temporary: outside, opened, purpose, setup })
      : noCaches;
    const writable = [...walls.writable, ...caches.writable, ...(reporters ? [reporters.writable] : [])];
    const readOnly = [
      ...walls.readOnly,
      ...needed,
      ...caches.readOnly,
      ...(reporters ? [reporters.readOnly] : []),
    ];
    const wrapped = sandbox.wrap(command, { ...walls, writable, readOnly }, { cwd: checkout, env });
    const inside = wrapped.env.TMPDIR ?? outside;
    const told: Record<string, string> = {};
    if (changed !== undefined) {
      writeFileSync(join(outside, "lockstep-changed"), listOf(changed), { mode: 0o600 });
      told.LOCKSTEP_CHANGED = join(inside, "lockstep-changed");
    }
    const own = { ...caches.env(inside), ...wrapped.env, ...told };
    const all = { ...own, ...reporters?.env(own) };
    const heard: ProcessRun["onOutput"] = (chunk, from) => {
      onOutput?.(chunk, from);
      reporters?.onOutput(chunk);
    };
    const run = { command: wrapped.command, cwd: checkout, env: all, onOutput: heard, ...limits };
    const result = await runProcess(run);
    // Before its temporary files are gone: they may be what filled it.
    return { ...result, isFull: isFull(dirname(outside)), inventory: reporters?.read(checkout) ?? null };
  } finally {
    removeFolder(outside);
  }
}

const noCaches: OpenedCaches = { writable: [], readOnly: [], env: () => ({}) };

function isFull(folder: string): boolean {
  const { blocks, bavail } = statfsSync(folder);
  return blocks > 0 && bavail === 0;
}

/** A name may hold a line break, and is then spelled as names that are no text are. */
function listOf(paths: readonly string[]): string {
  return paths.map((path) => `${path.replaceAll("\n", "\\x0a").replaceAll("\0", "")}\n`).join("");
}
