import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { ToolCall } from "../../contract/tool-call.ts";
import type { OrchestratorFolders } from "./folders.ts";
import type { OrchestratorState } from "./state.ts";
import { keptText, type ToolInput, toolInput } from "./tool-input.ts";

export type Outcome = "allowed" | "warned" | "blocked";

/** One line of the audit log: first the fields that every reader expects, then Lockstep's own. */
export interface AuditLine {
  readonly session_id: string;
  readonly timestamp: string;
  readonly agent_role: OrchestratorState["agent_role"];
  readonly tool: string;
  readonly tool_input: ToolInput;
  readonly outcome: Outcome;
  /** Null for an agent whose reads are not counted. */
  readonly read_count_after: number | null;
  readonly violation: AuditedViolation | null;
  readonly client_session: string | null;
  readonly agent_id: string | null;
  readonly task: string | null;
}

interface AuditedViolation {
  /** A `ViolationType`, or the code of the rule that an agent broke. */
  readonly type: string;
  readonly detail: string;
  readonly action: string;
}

const idLengthMax = 200;
const pageBytes = 1024 * 1024;

export function auditLine(
  call: ToolCall,
  facts: Omit<AuditLine, "timestamp" | "tool" | "tool_input" | "client_session" | "agent_id"> & {
    readonly now: Date;
  },
): AuditLine {
  return {
    session_id: keptText(facts.session_id, idLengthMax),
    timestamp: facts.now.toISOString(),
    agent_role: facts.agent_role,
    tool: keptText(call.tool, 100),
    tool_input: toolInput(call),
    outcome: facts.outcome,
    read_count_after: facts.read_count_after,
    violation: facts.violation,
    client_session: call.session === null ? null : call.session.slice(0, idLengthMax),
    agent_id: call.actor.agentId === null ? null : call.actor.agentId.slice(0, idLengthMax),
    task: facts.task === null ? null : facts.task.slice(0, idLengthMax),
  };
}

const waiting = new Map<string, { readonly lines: AuditLine[]; readonly written: Promise<void> }>();

/**
 * Lines of one event loop turn are written together. The caller waits for the write, so every answer has its line in
 * the log.
 */
export function appendAudit(folders: OrchestratorFolders, lines: readonly AuditLine[]): Promise<void> {
  const file = auditFile(folders);
  const group = waiting.get(file) ?? openGroup(folders, file);
  group.lines.push(...lines);
  return group.written;
}

function openGroup(folders: OrchestratorFolders, file: string) {
  const lines: AuditLine[] = [];
  const written = new Promise<void>((resolve, reject) => {
    setImmediate(() => {
      waiting.delete(file);
      try {
        writeLines(folders, lines);
        resolve();
      } catch (error) {
        reject(error);
      }
    });
  });
  const group = { lines, written };
  waiting.set(file, group);
  return group;
}

/** Lines are appended in one write, so that lines of several processes do not mix. */
function writeLines(folders: OrchestratorFolders, lines: readonly AuditLine[]): void {
  folders.open("logs");
  const descriptor = openSync(
    auditFile(folders),
    constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW,
    0o600,
  );
  try {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    const bytes = Buffer.from(endsInLine(descriptor) ? text : `\n${text}`);
    const written = writeSync(descriptor, bytes);
    if (written < bytes.length)
      throw new Error("the audit log could not be written completely: free disk space");
  } finally {
    closeSync(descriptor);
  }
}

/** A line that a full disk cut off must not swallow the next one. */
function endsInLine(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] === 0x0a);
}

/** The lines that contain `holding` and pass, oldest first. `bytesMax` limits the search to the end of the log. */
export function readAudit(
  folders: OrchestratorFolders,
  holding: string,
  {
    passes,
    bytesMax = Infinity,
  }: { readonly passes: (line: AuditLine) => boolean; readonly bytesMax?: number },
): AuditLine[] {
  const found: AuditLine[] = [];
  for (const text of linesOf(auditFile(folders), bytesMax)) {
    const line = text.includes(holding) ? parseLine(text) : undefined;
    if (line !== undefined && passes(line)) found.push(line);
  }
  return found;
}

function* linesOf(file: string, bytesMax: number): Generator<string, void> {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  try {
    let at = Math.max(0, fstatSync(descriptor).size - bytesMax);
    let rest: Buffer = Buffer.alloc(0);
    const page = Buffer.alloc(pageBytes);
    for (let read = readSync(descriptor, page, 0, pageBytes, at); read > 0; ) {
      at += read;
      const bytes = Buffer.concat([rest, page.subarray(0, read)]);
      const end = bytes.lastIndexOf(0x0a) + 1;
      rest = bytes.subarray(end);
      yield* bytes.toString("utf8", 0, end).split("\n");
      read = readSync(descriptor, page, 0, pageBytes, at);
    }
  } finally {
    closeSync(descriptor);
  }
}

function parseLine(text: string): AuditLine | undefined {
  try {
    const line = JSON.parse(text);
    const known = ["session_id", "timestamp", "tool", "outcome"].every(
      (key) => typeof line[key] === "string",
    );
    const violation = typeof line.violation?.type === "string" ? line.violation : null;
    return known ? { ...line, violation } : undefined;
  } catch {
    return undefined; // a line that a full disk cut off
  }
}

function auditFile({ logs }: OrchestratorFolders): string {
  return join(logs, "orchestrator-audit.log");
}
