import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeAll } from "./descriptor.ts";

interface Ended {
  readonly exit: number | null;
  readonly stdout: string;
  /** The last line of what went wrong. */
  readonly fault: string | undefined;
}

/** Runs `lockstep …` in a separate process, so that the run continues in the meantime. */
export async function ownCommand(words: readonly string[], shown = false): Promise<Ended> {
  const [, program = ""] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, program, ...words], {
    stdio: shown ? ["inherit", "inherit", "pipe"] : ["inherit", "pipe", "pipe"],
    // Without -F: a pager that quits when everything fits on the screen would show nothing.
    env: { ...process.env, LESS: "-R" },
  });
  const [out, errors]: [Buffer[], Buffer[]] = [[], []];
  child.stdout?.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => errors.push(chunk));
  const [exit] = (await once(child, "close")) as [number | null];
  const fault = Buffer.concat(errors)
    .toString()
    .trim()
    .split("\n")
    .at(-1)
    ?.replace(/^lockstep: /, "");
  return { exit, stdout: Buffer.concat(out).toString(), fault: fault === "" ? undefined : fault };
}

/** Gives the command the terminal; returns its last line on stderr, if any. */
export async function showOwnCommand(
  words: readonly string[],
  { stays }: { readonly stays: boolean },
): Promise<string | undefined> {
  const { exit, fault } = await ownCommand(words, true);
  if (exit !== 0) return fault ?? `\`lockstep ${words.join(" ")}\` ended with ${exit}`;
  // Without a pager the output would disappear before it can be read.
  if (stays && fault === undefined) await enter();
  return fault;
}

async function enter(): Promise<void> {
  writeAll(2, "-- press Enter to go back --");
  process.stdin.resume();
  await once(process.stdin, "data");
  process.stdin.pause();
}

/** Whether git shows a diff page by page. */
export function hasPager(): boolean {
  const { stdout } = spawnSync("git", ["var", "GIT_PAGER"], { encoding: "utf8" });
  return !["", "cat"].includes((stdout ?? "").trim());
}
