import { readFileSync, statSync } from "node:fs";
import { readSubmittedText } from "../../hooks/read-submitted.ts";
import { payloadBytesMax } from "../../hooks/run-point.ts";
import { CommandFault } from "../output/command-fault.ts";
import { readAll } from "../output/descriptor.ts";

/** Reads a document from a file; from stdin without a name or with `-`. */
export function readInput(file: string | undefined): string {
  const bytes = file === undefined || file === "-" ? readStdin() : readNamed(file);
  if (bytes.length > payloadBytesMax)
    throw new CommandFault("R-IN-001", `the document is longer than ${payloadBytesMax} bytes: send less`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new CommandFault("R-IN-001", "the document is not UTF-8");
  }
}

function readStdin(): Uint8Array {
  if (process.stdin.isTTY)
    throw new CommandFault("R-IN-001", "there is no document: name a FILE or pipe one to stdin");
  try {
    return readAll(0, payloadBytesMax);
  } catch (error) {
    throw new CommandFault("R-IN-001", `stdin cannot be read: ${(error as Error).message}`);
  }
}

function readNamed(file: string): Uint8Array {
  try {
    if (statSync(file).size > payloadBytesMax)
      throw new CommandFault("R-IN-001", `\`${file}\` is longer than ${payloadBytesMax} bytes: send less`);
    return readFileSync(file);
  } catch (error) {
    if (error instanceof CommandFault) throw error;
    throw new CommandFault("R-IN-001", `\`${file}\` cannot be read: ${(error as Error).message}`);
  }
}

/** Reads JSON or YAML. */
export async function readDocument(file: string | undefined): Promise<unknown> {
  return parsed(readInput(file));
}

/** Undefined if no file is named and stdin is empty. */
export async function readOptional(file: string | undefined): Promise<unknown> {
  const text = readInput(file);
  return text.trim() === "" && file === undefined ? undefined : parsed(text);
}

/** Parses a submitted text. */
export async function parsed(text: string): Promise<unknown> {
  const read = await readSubmittedText(text);
  if ("error" in read) throw new CommandFault("R-IN-001", read.error);
  return read.document;
}

export function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isSafeInteger(number) && number >= 0) return number;
  throw new CommandFault("R-IN-001", `\`${option} ${text}\` is not a whole number`);
}
