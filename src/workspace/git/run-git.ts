import { spawn } from "node:child_process";
import { gitProgram } from "../process/search-path.ts";
import { GitFault } from "./git-fault.ts";

export interface GitRun {
  readonly exit: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface GitOptions {
  readonly input?: string | Buffer;
  /** Added to the fixed environment, for an index or object folder of our own. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Settings that override any configuration: git must not run hooks or a file system monitor, sign, or repack in the
 * background.
 */
const settings = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.quotePath=false",
  "commit.gpgSign=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "advice.detachedHead=false",
].flatMap((setting) => ["-c", setting]);

/** Runs git in a folder and returns its output, whether it succeeded or not. */
export function tryGit(folder: string, words: readonly string[], options: GitOptions = {}): Promise<GitRun> {
  const child = spawn(gitProgram(), gitWords(folder, words), {
    env: { ...gitEnvironment(), ...options.env },
    stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  const out: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => errors.push(chunk));
  child.stdin?.on("error", () => {}); // git may end before it has read everything
  child.stdin?.end(options.input);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exit) =>
      resolve({ exit, stdout: Buffer.concat(out), stderr: Buffer.concat(errors).toString("utf8") }),
    );
  });
}

/** Git's output without the last line break. Throws a `GitFault` if git fails. */
export async function git(folder: string, words: readonly string[], options?: GitOptions): Promise<string> {
  return (await gitBytes(folder, words, options)).toString("utf8").replace(/\n$/, "");
}

export async function gitBytes(
  folder: string,
  words: readonly string[],
  options?: GitOptions,
): Promise<Buffer> {
  const { exit, stdout, stderr } = await tryGit(folder, words, options);
  if (exit !== 0) throw new GitFault(words, { exit, stderr });
  return stdout;
}

export function gitWords(folder: string, words: readonly string[]): string[] {
  return ["-C", folder, ...settings, ...words];
}

/** Removes variables such as GIT_DIR, which would make git use another repository. */
export function gitEnvironment(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  for (const name in env) if (name.startsWith("GIT_")) delete env[name];
  return Object.assign(env, {
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_EDITOR: "true",
    GIT_LFS_SKIP_SMUDGE: "1",
  });
}
