import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quoted } from "../../core/text/quoted.ts";
import { takePipe } from "./named-pipes.ts";

const graceMs = 3_000;
/** A child in another session can outlive the program and keep its output open for ever. */
const drainMs = 500;
/** The longest wait for a process that the kernel cannot end. */
const killedMsMax = 5_000;
const timerMsMax = 2 ** 31 - 1;

export interface ProcessRun {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The content of stdin; empty by default. */
  readonly input?: string | Uint8Array;
  readonly msMax: number;
  readonly abort?: AbortSignal;
  /** `merged`, the default, keeps the order of stdout and stderr; `apart` separates them instead. */
  readonly streams?: "merged" | "apart";
  /** Merged output has `from` set to `stdout`. */
  readonly onOutput?: (chunk: Buffer, from: "stdout" | "stderr") => void;
  readonly tailBytesMax?: number;
}

export interface ProcessResult extends ProcessEnd {
  readonly seconds: number;
  readonly digest: `sha256:${string}`;
  /** The end of the output, or why the program could not be started. */
  readonly tail: string;
  readonly outputBytes: number;
}

interface ProcessEnd {
  /** Null for a program that was stopped, even if it exited with 0, and for one that never ran. */
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
  readonly aborted: boolean;
}

/** Runs a program in a process group of its own, which ends with it. Never throws; the result reports every failure. */
export async function runProcess(run: ProcessRun): Promise<ProcessResult> {
  const started = process.hrtime.bigint();
  const output = new OutputRecord(run.tailBytesMax ?? 4096);
  const end = await launchAndFollow(run, output);
  return {
    ...("failure" in end ? { ...neverRan, aborted: end.aborted } : end),
    seconds: Number((process.hrtime.bigint() - started) / 1_000_000n) / 1000,
    digest: output.digest(),
    tail: "failure" in end ? end.failure : output.tail(),
    outputBytes: output.bytes,
  };
}

const neverRan: ProcessEnd = { exit: null, signal: null, timedOut: false, aborted: false };

type NotStarted = { readonly failure: string; readonly aborted: boolean };

async function launchAndFollow(run: ProcessRun, output: OutputRecord): Promise<ProcessEnd | NotStarted> {
  const failed = (why: string, aborted = false): NotStarted => ({
    failure: `${quoted(run.command[0] ?? "")} cannot be started: ${why}`,
    aborted,
  });
  let channels: Channels;
  try {
    channels = await openChannels(run);
  } catch (error) {
    return failed(`no pipe for its output could be created: ${(error as Error).message}`);
  }
  const readers = channels.readable.map((fd) => new Socket({ fd, readable: true, writable: false }));
  const closed = Promise.all(
    readers.map((reader, at) => {
      reader.on("data", (chunk: Buffer) => {
        output.add(chunk);
        run.onOutput?.(chunk, at === 0 ? "stdout" : "stderr");
      });
      reader.on("error", () => {}); // its close follows
      return new Promise<void>((resolve) => reader.once("close", () => resolve()));
    }),
  );
  try {
    if (run.abort?.aborted) return failed("the run was already aborted", true);
    const child = await launch(run, channels);
    return typeof child === "string" ? failed(child) : await follow(child, run, closed);
  } finally {
    channels.closeOwnEnds();
    for (const reader of readers) reader.destroy();
  }
}

interface Channels {
  readonly readable: readonly number[];
  readonly stdio: readonly (number | "ignore")[];
  closeOwnEnds(): void;
}

async function openChannels({ input, streams }: ProcessRun): Promise<Channels> {
  const readable: number[] = [];
  const own: number[] = [];
  const closeOwnEnds = () => {
    for (const fd of own.splice(0)) closeSync(fd);
  };
  try {
    for (const _stream of streams === "apart" ? ["stdout", "stderr"] : ["both"]) {
      const pipe = await takePipe();
      readable.push(pipe.readable);
      own.push(pipe.writable);
    }
    const [stdout = "ignore", stderr = stdout] = own;
    if (input === undefined) return { readable, stdio: ["ignore", stdout, stderr], closeOwnEnds };
    const stdin = openInput(input);
    own.push(stdin);
    return { readable, stdio: [stdin, stdout, stderr], closeOwnEnds };
  } catch (error) {
    closeOwnEnds();
    for (const fd of readable) closeSync(fd);
    throw error;
  }
}

function openInput(input: string | Uint8Array): number {
  const folder = mkdtempSync(join(tmpdir(), "lockstep-run-"));
  try {
    writeFileSync(join(folder, "stdin"), input, { mode: 0o600 });
    return openSync(join(folder, "stdin"), "r");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The running program, or why it could not be started. */
async function launch({ command, cwd, env }: ProcessRun, channels: Channels): Promise<ChildProcess | string> {
  const [program = "", ...words] = command;
  try {
    const child = spawn(program, words, { cwd, env, stdio: [...channels.stdio], detached: true });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.on("error", reject);
    });
    return child;
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    // The system reports a missing working folder as a missing program.
    if (code === "ENOENT" && !existsSync(cwd)) return `its folder ${quoted(cwd)} does not exist`;
    return startFailures[code] ?? message;
  } finally {
    channels.closeOwnEnds();
  }
}

const startFailures: Readonly<Record<string, string>> = {
  ENOENT: "there is no such program",
  EACCES: "it is not executable",
  E2BIG: "its arguments and environment are too long",
  EAGAIN: "there are too many processes",
};

async function follow(
  child: ChildProcess,
  { msMax, abort }: ProcessRun,
  closed: Promise<unknown>,
): Promise<ProcessEnd> {
  const stop = new Stop(child.pid);
  const limit = setTimeout(() => stop.begin("time"), Math.min(msMax, timerMsMax));
  const onAbort = () => stop.begin("abort");
  abort?.addEventListener("abort", onAbort, { once: true });
  if (abort?.aborted) onAbort();
  const ended = new Promise<Pick<ProcessEnd, "exit" | "signal">>((resolve) =>
    child.once("exit", (exit, signal) => resolve({ exit, signal })),
  );
  const { exit, signal } = (await Promise.race([ended, stop.givenUp])) ?? neverRan;
  clearTimeout(limit);
  if (stop.cause === undefined) await atMost(drainMs, closed);
  else await Promise.race([closed, stop.killed]);
  abort?.removeEventListener("abort", onAbort);
  stop.finish();
  const { cause } = stop;
  return {
    exit: cause === undefined ? exit : null,
    signal,
    timedOut: cause === "time",
    aborted: cause === "abort",
  };
}

async function atMost(ms: number, awaited: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([awaited, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}

/** Stops a process group: SIGTERM first, then SIGKILL. */
class Stop {
  cause: "time" | "abort" | undefined;
  readonly killed: Promise<void>;
  readonly givenUp: Promise<undefined>;
  readonly #pid: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #onKilled: () => void = () => {};
  #onGivenUp: (nothing: undefined) => void = () => {};

  constructor(pid: number | undefined) {
    this.#pid = pid;
    this.killed = new Promise((resolve) => (this.#onKilled = resolve));
    this.givenUp = new Promise((resolve) => (this.#onGivenUp = resolve));
  }

  begin(cause: "time" | "abort"): void {
    if (this.cause !== undefined) return;
    this.cause = cause;
    signalGroup(this.#pid, "SIGTERM");
    this.#timer = setTimeout(() => {
      signalGroup(this.#pid, "SIGKILL");
      this.#onKilled();
      this.#timer = setTimeout(() => this.#onGivenUp(undefined), killedMsMax);
    }, graceMs);
  }

  /** Ends all processes that the program left in its group. */
  finish(): void {
    clearTimeout(this.#timer);
    signalGroup(this.#pid, "SIGKILL");
  }
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // The group is empty, or has only processes of another user.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

/** The digest of the whole output, and its end as text. */
class OutputRecord {
  bytes = 0;
  readonly #hash = createHash("sha256");
  readonly #bytesMax: number;
  #end = Buffer.alloc(0);

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    this.#hash.update(chunk);
    const kept = this.#end.subarray(Math.max(0, this.#end.length + chunk.length - this.#bytesMax));
    // A copy, because a slice would keep the whole chunk in memory.
    this.#end = Buffer.concat([kept, chunk.subarray(Math.max(0, chunk.length - this.#bytesMax))]);
  }

  digest(): `sha256:${string}` {
    return `sha256:${this.#hash.digest("hex")}`;
  }

  /** Skips the rest of a character that was cut at the start. */
  tail(): string {
    const within = (at: number) => ((this.#end[at] ?? 0) & 0xc0) === 0x80;
    let start = 0;
    while (this.bytes > this.#end.length && start < 3 && within(start)) start += 1;
    return this.#end.toString("utf8", start);
  }
}
