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
  /** Beyond the fixed environment; for an index or object folder of our own. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * What git must never do for us, whatever a configuration says: run hooks or a file system monitor, sign, open
 * an editor, ask, repack in the background.
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

/** Runs git in a folder and hands back what came, whether it succeeded or not. */
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

/** What git printed, without the last line break; a failure is a `GitFault`. */
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

/** Variables such as GIT_DIR would make git look elsewhere than where it is told to. */
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
