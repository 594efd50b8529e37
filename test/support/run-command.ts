import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { agentMarks } from "../../src/clients/agent-shell.ts";
import type { Verdict } from "../../src/core/rules/verdict.ts";
import { gitOptions, newRepository } from "./new-repository.ts";
import { lockstepWords } from "./run-hook.ts";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";

export interface CommandOptions {
  /** The input on stdin; empty by default. `later`: the caller writes to it. */
  readonly input?: string | Uint8Array | "later";
  readonly env?: Readonly<Record<string, string>>;
  /** A prefix of the command, such as one that enters another namespace. */
  readonly through?: readonly string[];
}

export interface CommandRun {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Killed at the end of its block, if it has not ended by then. */
export interface Running extends Disposable {
  readonly process: ChildProcess;
  /** The complete lines of the output so far. */
  lines(): string[];
  errors(): string;
  readonly ended: Promise<CommandRun>;
}

/** A git repository of its own, and the built command in it. */
export interface Repository extends TemporaryFolder {
  /** Runs git in it with a configured identity; returns the output. */
  git(...words: string[]): string;
  run(words: readonly string[], options?: CommandOptions): Promise<CommandRun>;
  start(words: readonly string[], options?: CommandOptions): Running;
}

export function temporaryRepository(files: Readonly<Record<string, string>> = {}): Repository {
  const folder = temporaryFolder(files);
  newRepository(folder.path);
  const start = (words: readonly string[], options?: CommandOptions) =>
    startProgram([...lockstepWords, ...words], {
      ...options,
      cwd: folder.path,
      // Checkouts of a deleted repository are deleted with it.
      env: { XDG_STATE_HOME: join(folder.path, ".git", "state"), ...options?.env },
    });
  const git = (...words: string[]) =>
    execFileSync("git", [...gitOptions, ...words], {
      cwd: folder.path,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  return { ...folder, git, start, run: (words, options) => start(words, options).ended };
}

/** Starts a program with the caller's environment, except for variables that would mark it as an agent. */
export function startProgram(
  words: readonly string[],
  { cwd, input, env = {}, through = [] }: CommandOptions & { readonly cwd: string },
): Running {
  const [program = "", ...rest] = [...through, ...words];
  const child = spawn(program, rest, { cwd, env: { ...plainEnvironment(), ...env } });
  const out: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  // A process that is killed, or refuses before it reads, leaves a broken pipe.
  child.stdin.on("error", () => {});
  if (input !== "later") child.stdin.end(input ?? "");
  const stdout = () => Buffer.concat(out).toString();
  const stderr = () => Buffer.concat(errors).toString();
  const ended = new Promise<CommandRun>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status, signal) => resolve({ status, signal, stdout: stdout(), stderr: stderr() }));
  });
  return {
    process: child,
    ended,
    errors: stderr,
    lines: () => stdout().split("\n").slice(0, -1),
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}

function plainEnvironment(): NodeJS.ProcessEnv {
  const own = /^(?:LOCKSTEP_|CLAUDE_AGENT_)/;
  const isPlain = (name: string) => !own.test(name) && !agentMarks.includes(name);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => isPlain(name)));
}

/** The one line that a command for other programs prints. */
export function verdictIn({ stdout, stderr }: Pick<CommandRun, "stdout" | "stderr">): Verdict {
  if (!/^\{.*\}\n$/.test(stdout)) throw new Error(`no verdict in \`${stdout}\`; stderr: ${stderr}`);
  return JSON.parse(stdout);
}

/**
 * Repeats a query until it has a result, and fails after a long time without one. A query that starts a process takes
 * CPU time from the work that it waits for, so the pause is twice as long as the query.
 */
export async function eventually<T>(
  what: string,
  ask: () => T | undefined | Promise<T | undefined>,
  msMax = 30_000,
): Promise<T> {
  const deadline = performance.now() + msMax;
  while (performance.now() < deadline) {
    const askedMs = performance.now();
    const answer = await ask();
    if (answer !== undefined) return answer;
    await sleep(Math.min(1000, Math.max(20, 2 * (performance.now() - askedMs))));
  }
  throw new Error(`this never came: ${what}`);
}
