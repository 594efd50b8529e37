import { spawnSync } from "node:child_process";
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { command } from "./run-hook.ts";

/**
 * An agent that uses Lockstep through the command alone: `beating-agent.ts TASK RESULT-FILE [OPTION…]`. It sends
 * heartbeats; after a refused one it still submits, completes and releases, and then ends. Each answer is a line on
 * stdout.
 */
export interface Answer {
  readonly operation: string;
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const [task = "", file = "", ...options] = process.argv.slice(2);
const pauseMs = 100;

while (ask("heartbeat") === 0) await sleep(pauseMs);
ask("submit", file);
ask("complete");
ask("release");

function ask(operation: string, ...more: readonly string[]): number | null {
  const words = [command, operation, task, ...more, ...options];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  const answer: Answer = { operation, status, stdout, stderr };
  writeSync(1, `${JSON.stringify(answer)}\n`);
  return status;
}
