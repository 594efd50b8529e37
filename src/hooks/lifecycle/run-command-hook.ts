import { quoted } from "../../core/text/quoted.ts";
import { failure, type HookContext, type HookResult, success } from "./hook.ts";
import type { HookPorts, ProgramEnd } from "./hook-ports.ts";
import { readVerdict } from "./read-verdict.ts";

const outputBytesMax = 1024 * 1024;
const errorLengthMax = 2000;
const programMsMaxDefault = 60_000;

/** Asks a project's own program: the context on stdin, one verdict on stdout. Anything else is a failure. */
export async function runCommandHook(
  command: readonly string[],
  context: HookContext,
  { runProgram, programMsMax: msMax = programMsMaxDefault }: Pick<HookPorts, "runProgram" | "programMsMax">,
): Promise<HookResult> {
  const output = new ProgramOutput();
  const end = await runProgram({
    command,
    input: `${JSON.stringify(context)}\n`,
    msMax,
    onOutput: (chunk, from) => output.add(chunk, from),
  });
  const name = quoted(command.join(" "), 80);
  const broken = whyBroken(end, output, msMax);
  if (broken !== undefined) return failure(`${name} ${broken}`);
  const verdict = readVerdict(output.stdout());
  if ("error" in verdict) {
    const exit = end.exit === 0 ? "" : ` (exit code ${end.exit})`;
    return failure(`${name} gave no verdict${exit}: ${verdict.error}${output.lastError()}`);
  }
  const { allow, reason, details, prompt } = verdict;
  if (!allow) return failure(`${name} denies: ${reason}`, { context: details, prompt });
  if (end.exit !== 0)
    return failure(`${name} printed an allow but ended with exit code ${end.exit}: end with 0`);
  return success(reason, details);
}

function whyBroken(
  { exit, signal, timedOut, tail }: ProgramEnd,
  output: ProgramOutput,
  msMax: number,
): string | undefined {
  if (timedOut) return `gave no verdict within ${msMax / 1000} s and was ended: make it faster`;
  if (signal !== null) return `was ended by ${signal} before it gave a verdict${output.lastError()}`;
  if (exit === null) return `does not run: ${tail}; install it, or mend \`hooks\` in the configuration`;
  if (output.overflowed)
    return `printed more than ${outputBytesMax} bytes: print one verdict and nothing else`;
  return undefined;
}

/** The beginning of stdout and the end of stderr; the rest is read and dropped, or the program would wait. */
class ProgramOutput {
  overflowed = false;
  #bytes = 0;
  readonly #chunks: Uint8Array[] = [];
  #errors = "";

  add(chunk: Uint8Array, from: "stdout" | "stderr"): void {
    if (from === "stderr") {
      this.#errors = (this.#errors + Buffer.from(chunk).toString("latin1")).slice(-errorLengthMax);
      return;
    }
    this.#bytes += chunk.length;
    this.overflowed ||= this.#bytes > outputBytesMax;
    if (this.overflowed) this.#chunks.length = 0;
    else this.#chunks.push(chunk);
  }

  stdout(): Uint8Array {
    return Buffer.concat(this.#chunks);
  }

  lastError(): string {
    const line = Buffer.from(this.#errors, "latin1").toString("utf8").trim().split("\n").at(-1) ?? "";
    return line === "" ? "" : `; its last words: ${quoted(line)}`;
  }
}
