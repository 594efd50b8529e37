import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { GitFault } from "./git-fault.ts";
import { gitEnvironment, gitWords } from "./run-git.ts";

const idleMs = 1_000;

export interface GitObject {
  readonly id: string;
  readonly type: string;
  readonly size: number;
  readonly bytes: Buffer;
}

type Question = "info" | "contents";

/** What a name stands for now: a full id, a ref, `REF^{tree}`. Undefined where there is nothing. */
export function readObject(folder: string, name: string): Promise<GitObject | undefined> {
  return readerIn(folder).ask("contents", name);
}

/** The bytes of a blob; undefined where there are more. */
export async function readSmallBlob(folder: string, id: string, bytesMax: number) {
  const reader = readerIn(folder);
  const found = await reader.ask("info", id);
  if (found?.type !== "blob") throw new GitFault(["cat-file"], { exit: 0, stderr: `there is no blob ${id}` });
  return found.size > bytesMax ? undefined : (await reader.ask("contents", id))?.bytes;
}

function readerIn(folder: string): ObjectReader {
  const reader = readers.get(folder) ?? new ObjectReader(folder);
  readers.set(folder, reader);
  return reader;
}

const readers = new Map<string, ObjectReader>();

interface Waiting {
  readonly question: Question;
  resolve(object: GitObject | undefined): void;
  reject(error: unknown): void;
}

/**
 * One git that answers as long as it is asked: starting one for each question costs far more than the answers. It
 * looks at the refs and objects anew each time. Nobody has to close it: it ends when it is idle, or with us.
 */
class ObjectReader {
  readonly #folder: string;
  readonly #git: ChildProcessWithoutNullStreams;
  readonly #waiting: Waiting[] = [];
  #rest: Buffer = Buffer.alloc(0);
  #errors = "";
  #idle: NodeJS.Timeout | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    // In a session of its own: Ctrl-C is for us, and we may still have something to finish.
    this.#git = spawn("git", gitWords(folder, ["cat-file", "--batch-command"]), {
      env: gitEnvironment(),
      detached: true,
    });
    this.#git.stdout.on("data", (chunk: Buffer) => this.#take(chunk));
    this.#git.stderr.on("data", (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString("utf8")).slice(-4096);
    });
    this.#git.stdin.on("error", () => {}); // its end follows
    this.#git.on("error", (error) => this.#end(error));
    this.#git.on("close", (exit) => this.#end(new GitFault(["cat-file"], { exit, stderr: this.#errors })));
  }

  async ask(question: Question, name: string): Promise<GitObject | undefined> {
    if (name.includes("\n")) return undefined;
    clearTimeout(this.#idle);
    this.#keepUsAlive(true);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject });
      this.#git.stdin.write(`${question} ${name}\n`);
    });
  }

  /** An answer is `ID TYPE SIZE`, and for contents these and a line break; any other line says that there is none. */
  #take(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (let end = this.#rest.indexOf(10); end >= 0; end = this.#rest.indexOf(10)) {
      const line = this.#rest.toString("latin1", 0, end);
      const [, id = "", type = "", told = "0"] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(line) ?? [];
      const size = Number(told);
      const hasBytes = id !== "" && this.#waiting[0]?.question === "contents";
      const after = end + 1 + (hasBytes ? size + 1 : 0);
      if (this.#rest.length < after) return;
      const bytes = this.#rest.subarray(end + 1, after - 1);
      this.#rest = this.#rest.subarray(after);
      this.#waiting.shift()?.resolve(id === "" ? undefined : { id, type, size, bytes });
    }
    if (this.#waiting.length > 0) return;
    this.#keepUsAlive(false);
    this.#idle = setTimeout(() => this.#forget(), idleMs).unref();
  }

  /** Only as long as somebody waits for an answer. */
  #keepUsAlive(needed: boolean): void {
    const { stdin, stdout, stderr } = this.#git;
    for (const one of [this.#git, stdin as Socket, stdout as Socket, stderr as Socket])
      if (needed) one.ref();
      else one.unref();
  }

  #forget(): void {
    if (readers.get(this.#folder) === this) readers.delete(this.#folder);
    this.#git.stdin.end();
  }

  #end(error: unknown): void {
    clearTimeout(this.#idle);
    this.#forget();
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}
