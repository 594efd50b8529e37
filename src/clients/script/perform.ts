import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Step } from "./read-script.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** Performs the steps in order in the working folder. Returns the exit code if the script sets one. */
export async function perform(steps: readonly Step[]): Promise<number | undefined> {
  for (const step of steps) {
    const code = await performStep(step);
    if (code !== undefined) return code;
  }
  return undefined;
}

/** Prints a failure and continues with the next step, as agents do after a refusal. */
async function performStep(step: Step): Promise<number | undefined> {
  try {
    return await take(step);
  } catch (error) {
    say(`${step.do} failed: ${(error as Error).message}`);
    return undefined;
  }
}

async function take(step: Step): Promise<number | undefined> {
  switch (step.do) {
    case "exit":
      return step.code;
    case "loop":
      for (let round = 0; round < step.times; round += 1) {
        const code = await perform(step.steps);
        if (code !== undefined) return code;
        // Lets signals through in a loop that does not wait.
        await sleep(0);
      }
      return undefined;
    case "hang":
      for (;;) await sleep(dayMs);
    case "sleep":
      await sleep(step.seconds * 1000);
      return undefined;
    default:
      act(step);
      return undefined;
  }
}

type Act = Exclude<Step, { readonly do: "exit" | "loop" | "hang" | "sleep" }>;

function act(step: Act): void {
  if ("path" in step) mkdirSync(dirname(step.path), { recursive: true });
  switch (step.do) {
    case "write":
      writeFileSync(step.path, step.text);
      break;
    case "append":
      appendFileSync(step.path, step.text);
      break;
    case "link":
      symlinkSync(step.to, step.path);
      break;
    case "delete":
      rmSync(step.text, { recursive: true });
      break;
    case "run":
      runHere("sh", ["-c", step.text]);
      break;
    case "git":
      runHere("git", step.words);
      break;
    case "spawn":
      spawnDetached(step.text);
      break;
    case "say":
      say(step.text);
      break;
    case "usage":
      say(JSON.stringify({ usage: step.value }));
      break;
    case "answer":
      say(JSON.stringify(step.value));
      break;
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function runHere(program: string, words: readonly string[]): void {
  const { status, signal, error } = spawnSync(program, words, { stdio: ["ignore", "inherit", "inherit"] });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(status === null ? `ended by ${signal}` : `exit code ${status}`);
}

/** In a session of its own, so that it survives the end of this process and signals to its group. */
function spawnDetached(command: string): void {
  spawn("sh", ["-c", command], { detached: true, stdio: "ignore" }).unref();
}
