import { mkdirSync, statfsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Inventory } from "../core/proof/inventory.ts";
import { removeFolder } from "../workspace/files/remove-folder.ts";
import { type ProcessResult, type ProcessRun, runProcess } from "../workspace/process/run-process.ts";
import { type CheckPlaces, checkPolicy } from "../workspace/sandbox/check-policy.ts";
import type { Sandbox } from "../workspace/sandbox/sandbox.ts";
import { type CacheUser, type OpenedCaches, openCaches } from "../workspace/sandbox/tool-caches.ts";
import { placeReporters } from "./reporters.ts";

export interface SandboxedRun extends Pick<ProcessRun, "command" | "env" | "msMax" | "onOutput" | "abort"> {
  readonly purpose: "check" | "setup";
  readonly setup: CacheUser;
  readonly tailBytesMax?: number;
  /** Further paths that the command must be able to read. */
  readonly readOnly?: readonly string[];
  /** False: a network of its own, so that checks can run in parallel with the same ports. */
  readonly network?: boolean;
  /** Changed paths, passed to the command in a file with one path per line. */
  readonly changed?: readonly string[];
}

export interface SandboxedResult extends ProcessResult {
  /** True if the disk was full when it ended. */
  readonly isFull: boolean;
  /** For a check: the tests that its runners reported; null if none did. */
  readonly inventory: Inventory | null;
}

/** Runs a command in a proof checkout, with its own temporary folder, which is deleted afterwards. */
export async function runSandboxed(
  sandbox: Sandbox,
  places: CheckPlaces,
  {
    command,
    env,
    purpose,
    setup,
    network = true,
    changed,
    onOutput,
    readOnly: needed = [],
    ...limits
  }: SandboxedRun,
): Promise<SandboxedResult> {
  const { checkout, temporary: outside, commonFolder, home: opened } = places;
  removeFolder(outside);
  mkdirSync(outside, { mode: 0o700 });
  const place = join(dirname(outside), "reports");
  using reporters =
    purpose === "check" ? placeReporters(place, { isProtected: sandbox.enforces }) : undefined;
  try {
    const policy = checkPolicy(places, purpose, { network });
    const caches = sandbox.enforces
      ? openCaches({ commonFolder, temporary: outside, opened, purpose, setup })
      : noCaches;
    const writable = [...policy.writable, ...caches.writable, ...(reporters ? [reporters.writable] : [])];
    const readOnly = [
      ...policy.readOnly,
      ...needed,
      ...caches.readOnly,
      ...(reporters ? [reporters.readOnly] : []),
    ];
    const wrapped = sandbox.wrap(command, { ...policy, writable, readOnly }, { cwd: checkout, env });
    const inside = wrapped.env.TMPDIR ?? outside;
    const changes: Record<string, string> = {};
    if (changed !== undefined) {
      writeFileSync(join(outside, "lockstep-changed"), listOf(changed), { mode: 0o600 });
      changes.LOCKSTEP_CHANGED = join(inside, "lockstep-changed");
    }
    const own = { ...caches.env(inside), ...wrapped.env, ...changes };
    const all = { ...own, ...reporters?.env(own) };
    const heard: ProcessRun["onOutput"] = (chunk, from) => {
      onOutput?.(chunk, from);
      reporters?.onOutput(chunk);
    };
    const run = { command: wrapped.command, cwd: checkout, env: all, onOutput: heard, ...limits };
    const result = await runProcess(run);
    // Checked before its temporary files are deleted, because they may fill the disk.
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

/** Line breaks in names are escaped like bytes that are not UTF-8. */
function listOf(paths: readonly string[]): string {
  return paths.map((path) => `${path.replaceAll("\n", "\\x0a").replaceAll("\0", "")}\n`).join("");
}
