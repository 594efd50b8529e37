import { field, isObject } from "../../core/points/fields.ts";
import { quoted, shortened } from "../../core/points/quoted.ts";
import { maskSecrets } from "../../core/secrets/mask-secrets.ts";
import { type ProcessResult, runProcess } from "../../workspace/run-process.ts";
import type { AgentClient, AgentEnd, AgentEvent, AgentStart } from "../agent.ts";
import { findAnswer } from "../answer/find-answer.ts";
import { findFault, programFile } from "./find-program.ts";
import { LastBytes } from "./last-bytes.ts";
import { PrintedLines } from "./printed-lines.ts";

/** As much as a hook takes; of an answer that is longer only a part could be found. */
const answerBytesMax = 1024 * 1024;
const saidLengthMax = 2000;
const usageLengthMax = 1000;
const outputBytesMax = 4096;

export interface CommandAgent {
  /** The program and its arguments. */
  readonly run: readonly string[];
  /** The project's root. */
  readonly root: string;
}

/** Any program that takes the task as JSON on stdin and prints JSON at the end. */
export function commandAgent({ run, root }: CommandAgent): AgentClient {
  const [program = "", ...words] = run;
  return {
    probe: async () =>
      findFault(program, { root, path: process.env.PATH ?? "" }) ?? {
        usable: true,
        version: null,
        can: { resume: false, usage: true, cost: true },
      },
    start: (start) => startProgram([programFile(program, root), ...words], start),
  };
}

function startProgram(command: readonly string[], start: AgentStart): ReturnType<AgentClient["start"]> {
  const { input, wrap, folder, env, msMax, onEvent } = start;
  const stop = new AbortController();
  const printed = new LastBytes(answerBytesMax);
  const onLine = (line: string) => onEvent(readUsage(line) ?? said(line));
  const lines = { stdout: new PrintedLines(onLine), stderr: new PrintedLines((line) => onEvent(said(line))) };
  const running = runProcess({
    ...wrap(command, env),
    cwd: folder,
    input: `${JSON.stringify(input)}\n`,
    msMax,
    abort: stop.signal,
    streams: "apart",
    // Twice of what is shown: a secret that is cut in two is not found, and the cut comes before what is shown.
    tailBytesMax: 2 * outputBytesMax,
    onOutput: (chunk, from) => {
      if (from === "stdout") printed.add(chunk);
      lines[from].add(chunk);
    },
  });
  const ended = running.then((result) => {
    lines.stdout.end();
    lines.stderr.end();
    return endOf(result, { command, msMax, printed });
  });
  return {
    ended,
    stop: async () => {
      stop.abort();
      await ended;
    },
  };
}

async function endOf(
  result: ProcessResult,
  about: { readonly command: readonly string[]; readonly msMax: number; readonly printed: LastBytes },
): Promise<AgentEnd> {
  if (result.aborted) return { how: "stopped" };
  if (result.exit === 0) return { how: "done", answer: findAnswer(about.printed.text()) };
  const output = await maskSecrets(result.tail);
  const shown = output.length <= outputBytesMax ? output : `…${output.slice(-outputBytesMax).toWellFormed()}`;
  return { how: "failed", reason: failureOf(result, about, output), output: shown };
}

function failureOf(
  { exit, signal, timedOut }: ProcessResult,
  { command, msMax }: { readonly command: readonly string[]; readonly msMax: number },
  output: string,
): string {
  const program = quoted(command[0] ?? "");
  if (timedOut) return `${program} took longer than ${msMax / 1000} seconds and was ended`;
  if (exit !== null) return `${program} ended with exit code ${exit}`;
  if (signal !== null) return `${program} was ended by ${signal}`;
  return output; // why it could not be started
}

function said(line: string): AgentEvent {
  return { type: "said", text: shortened(line.trimEnd(), saidLengthMax).toWellFormed() };
}

const usageLine = /^\s*\{\s*"usage"\s*:/;

/** A line that only looks like usage is one that was said. */
function readUsage(line: string): AgentEvent | undefined {
  if (line.length > usageLengthMax || !usageLine.test(line)) return undefined;
  const usage = onlyField(line, "usage");
  const tokens = field(usage, "tokens");
  const costUsd = field(usage, "cost_usd");
  if (!Number.isSafeInteger(tokens) || (tokens as number) < 0) return undefined;
  const priced = typeof costUsd === "number" && Number.isFinite(costUsd) && costUsd >= 0;
  return { type: "usage", tokens: tokens as number, ...(priced && { costUsd }) };
}

function onlyField(json: string, name: string): unknown {
  try {
    const document: unknown = JSON.parse(json);
    return isObject(document) && Object.keys(document).length === 1 ? field(document, name) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
