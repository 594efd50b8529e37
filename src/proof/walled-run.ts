import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeFolder } from "../workspace/remove-folder.ts";
import { type ProcessResult, type ProcessRun, runProcess } from "../workspace/run-process.ts";
import { type CheckPlaces, checkWalls } from "../workspace/sandbox/check-walls.ts";
import { missingCaches } from "../workspace/sandbox/home-parts.ts";
import type { Sandbox } from "../workspace/sandbox/sandbox.ts";

export interface WalledRun extends Pick<ProcessRun, "command" | "env" | "msMax"> {
  readonly purpose: "check" | "set-up";
  readonly tailBytesMax?: number;
  /** Paths that the command is told of, by a file of one path a line. */
  readonly changed?: readonly string[];
}

/** Runs a command in a proof checkout, with a temporary folder that is its own and goes with it. */
export async function runWalled(
  sandbox: Sandbox,
  places: CheckPlaces,
  { command, env, purpose, changed, ...limits }: WalledRun,
): Promise<ProcessResult> {
  removeFolder(places.temporary);
  mkdirSync(places.temporary, { mode: 0o700 });
  try {
    const walls = checkWalls(places, purpose);
    const wrapped = sandbox.wrap(command, walls, { cwd: places.checkout, env });
    const temporary = wrapped.env.TMPDIR ?? places.temporary;
    const caches = sandbox.enforces ? missingCaches(temporary) : {};
    const told: Record<string, string> = {};
    if (changed !== undefined) {
      writeFileSync(join(places.temporary, "lockstep-changed"), listOf(changed), { mode: 0o600 });
      told.LOCKSTEP_CHANGED = join(temporary, "lockstep-changed");
    }
    const all = { ...caches, ...wrapped.env, ...told };
    return await runProcess({ command: wrapped.command, cwd: places.checkout, env: all, ...limits });
  } finally {
    removeFolder(places.temporary);
  }
}

/** A name may hold a line break, and is then spelled as names that are no text are. */
function listOf(paths: readonly string[]): string {
  return paths.map((path) => `${path.replaceAll("\n", "\\x0a").replaceAll("\0", "")}\n`).join("");
}
