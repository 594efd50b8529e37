import type { GuardAnswer, Operation, ToolCall } from "../../contract/tool-call.ts";
import { coordinationFiles } from "./coordination.ts";
import { judgeShell, type ShellFault, type ShellGround } from "./judge-shell.ts";
import { commandMessage, readLimitMessage, toolMessage } from "./messages.ts";
import {
  type OrchestratorState,
  type Violation,
  type ViolationType,
  withCall,
  withoutReads,
  withReads,
  withViolation,
} from "./state.ts";
import { keptText, toolInput } from "./tool-input.ts";

export interface OrchestratorOptions extends ShellGround {
  readonly now: Date;
  /** Additional files that may always be read: names, or paths in the project. */
  readonly coordination: readonly string[];
  /** Paths found changed after a call whose writes could not be known. */
  readonly strayed?: readonly string[];
}

export interface JudgedOrchestrator {
  readonly answer: GuardAnswer;
  readonly next: OrchestratorState;
  readonly violation: Violation | null;
  /** The same call was judged before, so it is already counted and recorded. */
  readonly repeated: boolean;
}

const readsMax = 2;
const commandLengthMax = 400;
const detailLengthMax = 200;
/** Tools that list or look up, but read no file. */
const listing = /^(?:ls|list|lsp)(?![a-z])|^list_?(?:dir|files)/i;

/**
 * An orchestrator may talk, plan and delegate. Calls are judged before they run. A violation that shows only afterwards
 * is recorded but cannot be refused.
 */
export function judgeOrchestrator(
  call: ToolCall,
  state: OrchestratorState,
  options: OrchestratorOptions,
): JudgedOrchestrator {
  if (call.event !== "before-tool" && call.event !== "after-tool")
    return { answer: { allow: true, reason: "" }, next: state, violation: null, repeated: false };
  const marks = marksOf(call);
  const before = state.recent_calls.find((seen) => marks.includes(seen));
  if (before !== undefined) return repeat(before, call, state);
  const judged =
    call.event === "before-tool" ? judgeBefore(call, state, options) : judgeAfter(call, state, options);
  const mark = marks[judged.answer.allow ? 0 : 1];
  return {
    ...judged,
    next: mark === undefined ? judged.next : withCall(judged.next, mark),
    repeated: false,
  };
}

/** The marks of a call in `recent_calls`: as allowed, and as blocked. */
function marksOf({ event, callId }: ToolCall): readonly string[] {
  return callId === null
    ? []
    : ["allowed", "blocked"].map((end) => `${event} ${callId.slice(0, 200)} ${end}`);
}

function repeat(seen: string, call: ToolCall, state: OrchestratorState): JudgedOrchestrator {
  const allow = seen.endsWith(" allowed");
  const reason = allow
    ? ""
    : `${call.tool} is not allowed for an orchestrator: delegate the work to a subagent`;
  return { answer: { allow, reason }, next: state, violation: null, repeated: true };
}

type Judged = Omit<JudgedOrchestrator, "repeated">;

function judgeBefore(call: ToolCall, state: OrchestratorState, options: OrchestratorOptions): Judged {
  const { operation } = call;
  if (operation.kind === "malformed")
    return { answer: { allow: false, reason: operation.reason }, next: state, violation: null };
  if (operation.kind === "read" && operation.search === null && !listing.test(call.tool))
    return judgeRead(call, operation.paths, { state, options });
  const fault = directFault(call, options);
  if (fault === undefined) return { answer: { allow: true, reason: "" }, next: state, violation: null };
  const violation = violationOf(call, fault, { now: options.now, blocked: true });
  return {
    answer: { allow: false, reason: fault.message },
    next: withViolation(state, violation),
    violation,
  };
}

/** A spawn resets the read count. */
function judgeAfter(call: ToolCall, state: OrchestratorState, options: OrchestratorOptions): Judged {
  if (call.operation.kind === "spawn") {
    const next = call.outcome?.failed === true ? state : withoutReads(state);
    return { answer: { allow: true, reason: "" }, next, violation: null };
  }
  const fault = directFault(call, options) ?? strayedFault(options.strayed ?? []);
  if (fault === undefined) return { answer: { allow: true, reason: "" }, next: state, violation: null };
  const violation = violationOf(call, fault, { now: options.now, blocked: false });
  const context = `${call.tool}: an orchestrator must delegate this: ${fault.detail}. ${fault.action}`;
  return { answer: { allow: true, reason: "", context }, next: withViolation(state, violation), violation };
}

interface Fault {
  readonly type: ViolationType;
  readonly detail: string;
  readonly action: string;
  readonly message: string;
}

function judgeRead(
  call: ToolCall,
  paths: readonly string[],
  { state, options }: { readonly state: OrchestratorState; readonly options: OrchestratorOptions },
): Judged {
  const isCoordination = coordinationFiles(options.coordination, { ...options.place, cwd: call.folder });
  const within = state.read_count + Math.max(1, paths.length) <= readsMax;
  if (within || (paths.length > 0 && paths.every(isCoordination)))
    return { answer: { allow: true, reason: "" }, next: withReads(state, paths), violation: null };
  const attempt = state.read_count + state.blocked_reads + 1;
  const message = readLimitMessage({ tool: call.tool, attempt, count: state.read_count });
  const action = "Spawn analyst or Explore subagent via Task tool";
  const fault = { type: "READ_LIMIT_EXCEEDED", detail: `attempt #${attempt}`, action, message } as const;
  const violation = violationOf(call, fault, { now: options.now, blocked: true });
  const next = { ...withViolation(state, violation), blocked_reads: state.blocked_reads + 1 };
  return { answer: { allow: false, reason: message }, next, violation };
}

/** What is wrong with a call, regardless of earlier calls. */
function directFault(call: ToolCall, options: OrchestratorOptions): Fault | undefined {
  const { operation, folder } = call;
  switch (operation.kind) {
    case "read":
      return operation.search === null ? undefined : searchFault(call, operation.search);
    case "write":
      return writeFault(call, isNew(call.tool, operation) ? "DIRECT_WRITE" : "DIRECT_EDIT");
    case "shell":
      return shellFault(operation.command, judgeShell(operation.command, folder, options));
    case "unknown":
      return unknownFault(call, operation, options);
    default:
      return undefined;
  }
}

/** Changes in the project, where an orchestrator may write nothing. */
function strayedFault(paths: readonly string[]): Fault | undefined {
  if (paths.length === 0) return undefined;
  const detail = keptText(`changed while it ran: ${paths.join(", ")}`, detailLengthMax);
  return { type: "BASH_DIRECT_WRITE", detail, action: "Spawn developer subagent via Task tool", message: "" };
}

function searchFault({ tool }: ToolCall, search: "Grep" | "Glob"): Fault {
  const does = search === "Grep" ? "search code" : "search for files";
  const type = search === "Grep" ? "DIRECT_GREP" : "DIRECT_GLOB";
  return toolFault(type, { tool, does, delegate: "analyst" });
}

function writeFault({ tool }: ToolCall, type: "DIRECT_WRITE" | "DIRECT_EDIT"): Fault {
  const does = type === "DIRECT_WRITE" ? "write files" : "edit files";
  return toolFault(type, { tool, does, delegate: "developer" });
}

function toolFault(type: ViolationType, facts: Parameters<typeof toolMessage>[0]): Fault {
  const action = `Spawn ${facts.delegate} subagent via Task tool`;
  return { type, detail: facts.does, action, message: toolMessage(facts) };
}

function shellFault(command: string, fault: ShellFault | undefined): Fault | undefined {
  if (fault === undefined) return undefined;
  const { type, delegate } = fault;
  const detail = keptText(fault.detail, detailLengthMax);
  const reason = keptText(fault.reason, commandLengthMax);
  const message = commandMessage({ command: keptText(command, commandLengthMax), reason, delegate });
  return { type, detail, action: `Spawn ${delegate} subagent via Task tool`, message };
}

/** An unknown tool may be used, but not to write files or to run forbidden commands. */
function unknownFault(
  call: ToolCall,
  { reads, paths, commands }: Extract<Operation, { kind: "unknown" }>,
  options: OrchestratorOptions,
): Fault | undefined {
  for (const command of commands) {
    const fault = shellFault(command, judgeShell(command, call.folder, options));
    if (fault !== undefined) return fault;
  }
  return !reads && paths.length > 0 ? writeFault(call, "DIRECT_WRITE") : undefined;
}

function isNew(tool: string, { targets }: Extract<Operation, { kind: "write" }>): boolean {
  if (/^(?:multi_?edit|notebook_?edit|edit|replace|apply_?patch|patch)/i.test(tool)) return false;
  return targets.every(({ action }) => action === "create");
}

function violationOf(
  call: ToolCall,
  { type, detail, action }: Fault,
  { now, blocked }: { readonly now: Date; readonly blocked: boolean },
): Violation {
  const timestamp = now.toISOString();
  const tool = keptText(call.tool, 100);
  return { type, tool, timestamp, blocked, tool_input: toolInput(call), detail, action };
}
