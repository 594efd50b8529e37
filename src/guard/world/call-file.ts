import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ToolCall } from "../../contract/tool-call.ts";
import { neverRun } from "../../core/shell/contain-command.ts";
import { replaceFile } from "../../workspace/files/replace-file.ts";

const prefix = "before-";
const ageMsMax = 24 * 60 * 60 * 1000;

/** A name that is the same before and after a call, and different for every other call. */
export function callName({ session, actor, tool, callId, operation }: ToolCall): string {
  const command = operation.kind === "shell" ? bare(operation.command) : "";
  return [session, actor.agentId, tool, callId ?? command].join("\n");
}

const prepared =
  /(?:'[^']*\/lockstep'|\/[\w@%+=:,./-]*\/lockstep) (?:exec|hooks) ([0-9a-f]{8}) (?:\$\$ )?(?:bash -c )?/g;

/** The id in a command whose programs were put into the sandbox. */
export function preparedId({ operation }: Pick<ToolCall, "operation">): string | undefined {
  return operation.kind === "shell" ? [...operation.command.matchAll(prepared)][0]?.[1] : undefined;
}

/** The original command. Clients differ in which of the two they report after the call. */
function bare(command: string): string {
  const text = command.replace(prepared, "").replace(/['\\]/g, "");
  if (!new RegExp(prepared).test(command)) return text;
  for (const [before, after] of Object.values(neverRun)) {
    const length = (text.length - before.length - after.length) / 2; // the command is in the text twice
    const once = text.slice(before.length, before.length + length);
    if (text === `${before}${once}${after}${once}`) return once;
  }
  return text;
}

/** Holds the state before a call, in a file, because another process may handle the end of the call. */
export function callFile(folder: string, name: string): string {
  return join(folder, `${prefix}${createHash("sha256").update(name).digest("hex").slice(0, 32)}`);
}

export function writeCallFile(file: string, document: unknown): void {
  replaceFile(file, JSON.stringify(document));
}

export function readCallFile<Document>(file: string): Document | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Removes files of calls that something else refused, or whose end was never reported. */
export function sweepCallFiles(folder: string, nowMs: number, isNeeded?: (name: string) => boolean): void {
  sweepFiles(folder, prefix, nowMs - ageMsMax, isNeeded);
}

/** Removes files with this prefix that were not written since `sinceMs`. */
export function sweepFiles(
  folder: string,
  beginning: string,
  sinceMs: number,
  isNeeded: (name: string) => boolean = () => false,
): void {
  for (const name of readdirSync(folder).filter((one) => one.startsWith(beginning) && !isNeeded(one))) {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    if (found !== undefined && found.mtimeMs < sinceMs)
      rmSync(join(folder, name), { force: true, recursive: true });
  }
}

/** The concatenated text of all recorded files. */
export function readCallFiles(folder: string): string {
  const names = readdirSync(folder).filter((name) => name.startsWith(prefix));
  return names.map((name) => textOf(join(folder, name))).join("\n");
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
