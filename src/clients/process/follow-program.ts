import { maskSecrets } from "../../core/secrets/mask-secrets.ts";
import { quoted, shortened } from "../../core/text/quoted.ts";
import { type ProcessResult, runProcess } from "../../workspace/process/run-process.ts";
import type { AgentEnd, AgentRun, AgentStart } from "../agent.ts";
import { PrintedLines } from "./printed-lines.ts";

const outputBytesMax = 4096;
const saidLengthMax = 200;

export interface ProgramStart {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  readonly onStdout?: (chunk: Buffer) => void;
  /** In characters; longer lines are split. */
  readonly lineLengthMax?: number;
  onLine(line: string, from: "stdout" | "stderr"): void;
  /** Called when the program has ended by itself; undefined if it failed and only the exit code is known. */
  endOf(end: { readonly exit: number | null; readonly tail: string }): AgentEnd | undefined;
}

/** Runs an agent's program in its sandbox until it ends or is stopped. */
export function followProgram(
  { wrap, folder, msMax }: Pick<AgentStart, "wrap" | "folder" | "msMax">,
  program: ProgramStart,
): AgentRun {
  const { command, env, input, onLine, onStdout, lineLengthMax } = program;
  const stop = new AbortController();
  let lastError = "";
  const lines = {
    stdout: new PrintedLines((line) => onLine(line, "stdout"), lineLengthMax),
    stderr: new PrintedLines((line) => {
      lastError = line.trim() || lastError;
      onLine(line, "stderr");
    }),
  };
  const running = runProcess({
    ...wrap(command, env),
    cwd: folder,
    input,
    msMax,
    abort: stop.signal,
    streams: "apart",
    // Twice the length that is shown, because a secret that is cut in two is not masked.
    tailBytesMax: 2 * outputBytesMax,
    onOutput: (chunk, from) => {
      if (from === "stdout") onStdout?.(chunk);
      lines[from].add(chunk);
    },
  });
  const ended = running.then((result) => {
    lines.stdout.end();
    lines.stderr.end();
    return endOf(result, program, { msMax, lastError });
  });
  return {
    ended,
    stop: async () => {
      stop.abort();
      await ended;
    },
  };
}

interface Followed {
  readonly msMax: number;
  /** The last line on stderr that is not blank. */
  readonly lastError: string;
}

async function endOf(result: ProcessResult, program: ProgramStart, followed: Followed): Promise<AgentEnd> {
  if (result.aborted) return { how: "stopped" };
  const { exit, tail } = result;
  const own = result.timedOut ? undefined : program.endOf({ exit, tail });
  if (own !== undefined) return own;
  const output = await maskSecrets(tail);
  const shown = output.length <= outputBytesMax ? output : `…${output.slice(-outputBytesMax).toWellFormed()}`;
  return { how: "failed", reason: failureOf(result, program, followed, output), output: shown };
}

function failureOf(
  { exit, signal, timedOut }: ProcessResult,
  { command }: ProgramStart,
  { msMax, lastError }: Followed,
  output: string,
): string {
  const name = quoted(command[0] ?? "");
  if (timedOut) return `${name} was stopped after its timeout of ${msMax / 1000} seconds`;
  // A line with a secret differs from the masked output.
  const said =
    lastError !== "" && output.includes(lastError) ? `: ${shortened(lastError, saidLengthMax)}` : "";
  if (exit !== null) return `${name} ended with exit code ${exit}${said}`;
  if (signal !== null) return `${name} was ended by ${signal}`;
  return output; // says why it could not be started
}
