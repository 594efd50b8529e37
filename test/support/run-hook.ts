import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Verdict } from "../../src/core/rules/verdict.ts";

export const command = fileURLToPath(new URL("../../bin/lockstep.cjs", import.meta.url));

const [, flags = ""] = /exec node (.*?) "/.exec(readFileSync(command, "utf8")) ?? [];

/** The words that its first line runs, with the Node of the tests. */
export const lockstepWords: readonly string[] = [process.execPath, ...flags.split(" "), command];

export interface HookRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly verdict: Verdict;
}

/** Runs the built command as a caller would, and reads its one line. */
export function runHook(words: readonly string[], input: string | Uint8Array, cwd: string): HookRun {
  const options = { cwd, input, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 } as const;
  const run = spawnSync(process.execPath, [command, "hook", ...words], options);
  return { ...run, verdict: run.stdout === "" ? undefined : JSON.parse(run.stdout) };
}
