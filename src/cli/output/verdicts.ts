import { type Deny, deny, type Verdict } from "../../core/rules/verdict.ts";
import { isStringList } from "../../core/values/fields.ts";
import { internalFault } from "../../hooks/run-point.ts";
import { isStoreFault } from "../../ledger/store-fault.ts";
import { asDiskFault } from "../../workspace/files/disk-fault.ts";
import { CommandFault } from "./command-fault.ts";
import { writeAll } from "./descriptor.ts";
import { exitOf } from "./exit-of.ts";

/** Any failure of a command as a deny with code and reason. */
export function faultVerdict(error: unknown): Deny {
  // The cleanup after a failure failed too: the first failure is the reason.
  if (error instanceof SuppressedError) return faultVerdict(error.suppressed);
  if (error instanceof CommandFault) return severalProblems(error);
  if (isStoreFault(error))
    return deny("E-STORE", error.message, { kind: error.kind ?? "folder", retryable: error.retryable });
  if (isKnownFault(error)) return deny(error.code, error.message);
  const refused = asDiskFault(error);
  return refused === undefined ? internalFault(error) : deny(refused.code, refused.message, { kind: "disk" });
}

/** A verdict's reason is one line; a fault may list several problems. */
function severalProblems({ code, message, details }: CommandFault): Deny {
  const problems = message.split("\n");
  return deny(code, problems.join("; "), problems.length === 1 ? details : { ...details, problems });
}

/** For other programs: one line of JSON on stdout, the reason of a deny also on stderr; exit 0 or 2. */
export async function printVerdict(decide: () => Promise<Verdict>): Promise<0 | 2> {
  return print(await caught(decide));
}

/** The same, but exit 3 if a person has to decide first. */
export async function printOrWait(decide: () => Promise<Verdict>): Promise<0 | 2 | 3> {
  const verdict = await caught(decide);
  const exit = print(verdict);
  return exit === 2 && verdict.details?.waiting === true ? 3 : exit;
}

/** Prints the refusal of a command whose normal answer is not a verdict. */
export function tellRefusal(refused: Verdict, json: boolean | undefined): 1 | 2 {
  if (json === true) print(refused);
  else complain(refused);
  return exitOf(refused.code);
}

function print(verdict: Verdict): 0 | 2 {
  writeAll(1, `${JSON.stringify(verdict)}\n`);
  return verdict.allow ? 0 : complain(verdict);
}

interface Telling {
  /** Print the verdict as JSON; a function if that is only known after the command has run. */
  readonly json?: boolean | (() => boolean) | undefined;
  readonly text: (verdict: Verdict) => string;
}

/** Prints a sentence, or the verdict with `--json`. */
export async function tellVerdict({ json, text }: Telling, decide: () => Promise<Verdict>): Promise<0 | 2> {
  const verdict = await caught(decide);
  if (typeof json === "function" ? json() : json === true) return print(verdict);
  if (!verdict.allow) return complain(verdict);
  writeAll(1, `${text(verdict)}\n`);
  return 0;
}

async function caught(decide: () => Promise<Verdict>): Promise<Verdict> {
  try {
    return await decide();
  } catch (error) {
    if (process.argv.includes("--debug")) writeAll(2, `${error instanceof Error ? error.stack : error}\n`);
    return faultVerdict(error);
  }
}

function complain({ code, reason, details }: Verdict): 2 {
  const problems = details?.problems;
  const lines = isStringList(problems) ? problems : [reason];
  writeAll(2, lines.map((line) => `lockstep: ${code}: ${line}\n`).join(""));
  return 2;
}

/** Codes of errors whose message already says what to do. */
const knownFaults = ["R-PE-003", "E-CONFIG", "E-GIT"] as const;

function isKnownFault(error: unknown): error is Error & { readonly code: (typeof knownFaults)[number] } {
  return error instanceof Error && "code" in error && knownFaults.some((code) => code === error.code);
}
