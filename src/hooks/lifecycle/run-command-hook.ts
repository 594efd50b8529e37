import type { Details } from "../../core/rules/verdict.ts";
import { quoted } from "../../core/text/quoted.ts";
import { isObject } from "../../core/values/fields.ts";
import { failure, type HookContext, type HookResult, success } from "./hook.ts";
import type { HookPorts, ProgramEnd } from "./hook-ports.ts";

const outputBytesMax = 1024 * 1024;
const errorLengthMax = 2000;
const programMsMaxDefault = 60_000;

/**
 * Runs a project's own program as a hook: the context on stdin, one verdict on stdout. Anything else is a
 * failure.
 */
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
    return failure(`${name} printed an allow but exited with code ${end.exit}: exit with 0`);
  return success(reason, details);
}

function whyBroken(
  { exit, signal, timedOut, tail }: ProgramEnd,
  output: ProgramOutput,
  msMax: number,
): string | undefined {
  if (timedOut) return `gave no verdict within ${msMax / 1000} s and was stopped: make it faster`;
  if (signal !== null) return `was killed by ${signal} before it gave a verdict${output.lastError()}`;
  if (exit === null)
    return `could not be started: ${tail}; install it, or correct \`hooks\` in the configuration`;
  if (output.overflowed)
    return `printed more than ${outputBytesMax} bytes: print one verdict and nothing else`;
  return undefined;
}

/**
 * Keeps the beginning of stdout and the end of stderr. The rest is read and dropped, so that the program does not
 * block.
 */
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
    return line === "" ? "" : `; last line of stderr: ${quoted(line)}`;
  }
}

interface ReadVerdict {
  readonly allow: boolean;
  readonly reason: string;
  readonly details: Details;
  readonly prompt: string | undefined;
}

const form =
  'print {"allow":true,"code":"OK","reason":"…"} or {"allow":false,"code":"…","reason":"…","details":{}}';

/** Reads a program's answer. Only a complete and consistent allow counts as one. */
function readVerdict(bytes: Uint8Array): ReadVerdict | { readonly error: string } {
  const document = parse(bytes);
  if (document === undefined) return { error: `its output is not one JSON document: ${form}` };
  const { allow, code, reason, details = {} } = document;
  const fits = typeof code === "string" && typeof reason === "string" && isObject(details);
  if (!fits || typeof allow !== "boolean" || allow !== (code === "OK"))
    return { error: `its output is not a verdict: ${form}` };
  const { remediation_prompt: prompt } = details;
  return { allow, reason, details, prompt: typeof prompt === "string" ? prompt : undefined };
}

function parse(bytes: Uint8Array): Details | undefined {
  try {
    const document: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isObject(document) ? document : undefined;
  } catch {
    return undefined; // the output may contain anything, so it is not quoted
  }
}
