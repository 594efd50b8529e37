import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeAll } from "../descriptor.ts";

interface Ended {
  readonly exit: number | null;
  readonly stdout: string;
  /** The last line of what went wrong. */
  readonly fault: string | undefined;
}

/** Whoever is back faster than anybody can read had no pager. */
const readMsMin = 1500;

/** `lockstep …` in a process of its own, so that the run goes on meanwhile. */
export async function ownCommand(words: readonly string[], shown = false): Promise<Ended> {
  const [, program = ""] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, program, ...words], {
    stdio: shown ? ["inherit", "inherit", "pipe"] : ["ignore", "pipe", "pipe"],
    // A pager that ends by itself where everything fits would show nothing at all.
    env: { ...process.env, LESS: "-R" },
  });
  const [out, errors]: [Buffer[], Buffer[]] = [[], []];
  child.stdout?.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => errors.push(chunk));
  const [exit] = (await once(child, "close")) as [number | null];
  const fault = Buffer.concat(errors).toString().trim().split("\n").at(-1);
  return { exit, stdout: Buffer.concat(out).toString(), fault: fault === "" ? undefined : fault };
}

/** With the terminal for itself; says what went wrong. */
export async function showOwnCommand(words: readonly string[]): Promise<string | undefined> {
  const since = performance.now();
  const { exit, fault } = await ownCommand(words, true);
  if (exit !== 0) return fault ?? `\`lockstep ${words.join(" ")}\` ended with ${exit}`;
  if (performance.now() - since < readMsMin) await enter();
  return undefined;
}

async function enter(): Promise<void> {
  writeAll(2, "-- enter goes back --");
  process.stdin.resume();
  await once(process.stdin, "data");
  process.stdin.pause();
}
