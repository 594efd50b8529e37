import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { gitProgram } from "../process/search-path.ts";
import { GitFault } from "./git-fault.ts";
import { gitEnvironment, gitWords } from "./run-git.ts";

/** The request and response format of a long-running git command. */
export interface Protocol<Question, Answer> {
  readonly words: readonly string[];
  /** The process ends after this time without a question. */
  readonly idleMs: number;
  ask(question: Question): string | Buffer;
  /** The answer at the start of the received bytes, and its length; undefined while it is incomplete. */
  answer(question: Question, came: Buffer): { readonly answer: Answer; readonly bytes: number } | undefined;
}

/**
 * A long-running git process per folder, because starting one per question costs far more than the answers. It reads
 * refs and objects anew for each question. It ends by itself when it is idle, or with this process.
 */
export class LastingGit<Question, Answer> {
  readonly #protocol: Protocol<Question, Answer>;
  readonly #running = new Map<string, Running<Question, Answer>>();

  constructor(protocol: Protocol<Question, Answer>) {
    this.#protocol = protocol;
  }

  ask(folder: string, question: Question): Promise<Answer> {
    return new Promise((resolve, reject) =>
      this.#give(folder, [{ question, resolve, reject, isRepeated: false }]),
    );
  }

  #give(folder: string, asked: readonly Asked<Question, Answer>[]): void {
    const running = this.#running.get(folder) ?? this.#start(folder);
    for (const one of asked) running.ask(one);
  }

  #start(folder: string): Running<Question, Answer> {
    const running: Running<Question, Answer> = new Running(folder, this.#protocol, (left) => {
      if (this.#running.get(folder) === running) this.#running.delete(folder);
      // Only the first question can have caused the failure. The others are asked again.
      if (left.length > 0) this.#give(folder, left);
    });
    this.#running.set(folder, running);
    return running;
  }
}

const idle = new Set<number>();

/** Whether a process is one of these and has nothing to do, so that it holds no lock. */
export function isIdleGit(pid: number): boolean {
  return idle.has(pid);
}

interface Asked<Question, Answer> {
  readonly question: Question;
  readonly isRepeated: boolean;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

class Running<Question, Answer> {
  readonly #protocol: Protocol<Question, Answer>;
  readonly #git: ChildProcessWithoutNullStreams;
  readonly #waiting: Asked<Question, Answer>[] = [];
  readonly #onEnd: (left: readonly Asked<Question, Answer>[]) => void;
  #rest: Buffer = Buffer.alloc(0);
  #errors = "";
  #idle: NodeJS.Timeout | undefined;

  constructor(
    folder: string,
    protocol: Protocol<Question, Answer>,
    onEnd: (left: readonly Asked<Question, Answer>[]) => void,
  ) {
    this.#protocol = protocol;
    this.#onEnd = onEnd;
    // In its own session, so that Ctrl-C does not end it while this process still needs it.
    this.#git = spawn(gitProgram(), gitWords(folder, protocol.words), {
      env: gitEnvironment(),
      detached: true,
    });
    this.#git.stdout.on("data", (chunk: Buffer) => this.#take(chunk));
    this.#git.stderr.on("data", (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString("utf8")).slice(-4096);
    });
    this.#git.stdin.on("error", () => {}); // its end follows
    this.#git.on("error", (error) => this.#end(error));
    this.#git.on("close", (exit) => {
      const stderr = this.#errors;
      this.#end(new GitFault(protocol.words, { exit, stderr }), stderr === "");
    });
  }

  ask(asked: Asked<Question, Answer>): void {
    clearTimeout(this.#idle);
    idle.delete(this.#git.pid ?? 0);
    this.#keepUsAlive(true);
    this.#waiting.push(asked);
    this.#git.stdin.write(this.#protocol.ask(asked.question));
  }

  #take(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (let [first] = this.#waiting; first !== undefined; [first] = this.#waiting) {
      const found = this.#protocol.answer(first.question, this.#rest);
      if (found === undefined) return;
      this.#rest = this.#rest.subarray(found.bytes);
      this.#waiting.shift();
      first.resolve(found.answer);
    }
    this.#keepUsAlive(false);
    idle.add(this.#git.pid ?? 0);
    this.#idle = setTimeout(() => this.#finish(), this.#protocol.idleMs).unref();
  }

  /** Keeps this process alive only while an answer is pending. */
  #keepUsAlive(needed: boolean): void {
    const { stdin, stdout, stderr } = this.#git;
    for (const one of [this.#git, stdin as Socket, stdout as Socket, stderr as Socket])
      if (needed) one.ref();
      else one.unref();
  }

  #finish(): void {
    this.#onEnd([]);
    this.#git.stdin.end();
  }

  /** A git that was killed, or ended without a message, may not have read the question: it is repeated once. */
  #end(error: unknown, isSilent = false): void {
    clearTimeout(this.#idle);
    idle.delete(this.#git.pid ?? 0);
    const [first, ...left] = this.#waiting.splice(0);
    const isAgain = first !== undefined && isSilent && !first.isRepeated;
    if (!isAgain) first?.reject(error);
    this.#onEnd(isAgain ? [{ ...first, isRepeated: true }, ...left] : left);
  }
}
