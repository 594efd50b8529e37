import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolCall } from "../tool-call.ts";

const prefix = "before-";
const ageMsMax = 24 * 60 * 60 * 1000;

/** The same before a call and after it, and for no other. */
export function callName({ session, actor, tool, callId, operation }: ToolCall): string {
  const command = operation.kind === "shell" ? bare(operation.command) : "";
  return [session, actor.agentId, tool, callId ?? command].join("\n");
}

const prepared = /'?\S*\/lockstep'? exec ([0-9a-f]{8}) (?:bash -c )?/g;

/** The id in a command whose programs were put into the sandbox. */
export function preparedId({ operation }: Pick<ToolCall, "operation">): string | undefined {
  return operation.kind === "shell" ? [...operation.command.matchAll(prepared)][0]?.[1] : undefined;
}

/** The command as it was before that: which of the two a client tells after the call differs. */
function bare(command: string): string {
  return command.replace(prepared, "").replace(/['\\]/g, "");
}

/** What was seen before a call, until it is over: in a file, because another process asks afterwards. */
export function callFile(folder: string, name: string): string {
  return join(folder, `${prefix}${createHash("sha256").update(name).digest("hex").slice(0, 32)}`);
}

export function writeCallFile(file: string, document: unknown): void {
  writeFileSync(file, JSON.stringify(document), { mode: 0o600 });
}

export function readCallFile<Document>(file: string): Document | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Calls that were refused by somebody else, or whose end nobody told. */
export function sweepCallFiles(folder: string, nowMs: number): void {
  for (const name of readdirSync(folder).filter((one) => one.startsWith(prefix))) {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    if (found !== undefined && nowMs - found.mtimeMs > ageMsMax) rmSync(join(folder, name), { force: true });
  }
}
