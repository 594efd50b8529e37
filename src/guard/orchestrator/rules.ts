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
  /** Further files that may always be read: names, or paths in the project. */
  readonly coordination: readonly string[];
  /** What was found changed after a call whose writes could not be known. */
  readonly strayed?: readonly string[];
}

export interface JudgedOrchestrator {
  readonly answer: GuardAnswer;
  readonly next: OrchestratorState;
  readonly violation: Violation | null;
  /** The same call has been judged before: it has been counted and recorded. */
  readonly repeated: boolean;
}

const readsMax = 2;
const commandLengthMax = 400;
const detailLengthMax = 200;
/** Tools that read no file. */
const listing = /^(?:ls|list|lsp)(?![a-z])|^list_?(?:dir|files)/i;

/**
 * What an orchestrating agent may do itself: talk, plan and delegate. A call is judged before it; what only shows
 * after it is a violation too, but no longer one that can be refused.
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

/** How a call is remembered when it was allowed, and when it was not. */
function marksOf({ event, callId }: ToolCall): readonly string[] {
  return callId === null
    ? []
    : ["allowed", "blocked"].map((end) => `${event} ${callId.slice(0, 200)} ${end}`);
}

function repeat(seen: string, call: ToolCall, state: OrchestratorState): JudgedOrchestrator {
  const allow = seen.endsWith(" allowed");
  const reason = allow ? "" : `${call.tool} was refused to an orchestrator: delegate instead`;
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

/** The next reads are counted from a spawn on. */
function judgeAfter(call: ToolCall, state: OrchestratorState, options: OrchestratorOptions): Judged {
  if (call.operation.kind === "spawn") {
    const next = call.outcome?.failed === true ? state : withoutReads(state);
    return { answer: { allow: true, reason: "" }, next, violation: null };
  }
  const fault = directFault(call, options) ?? strayedFault(options.strayed ?? []);
  if (fault === undefined) return { answer: { allow: true, reason: "" }, next: state, violation: null };
  const violation = violationOf(call, fault, { now: options.now, blocked: false });
  const context = `${call.tool}: an orchestrator did itself what it must delegate: ${fault.detail}. ${fault.action}`;
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

/** What is wrong with a call whatever came before it. */
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

/** In the project, where it holds nothing. */
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

function toolFault(type: ViolationType, said: Parameters<typeof toolMessage>[0]): Fault {
  const action = `Spawn ${said.delegate} subagent via Task tool`;
  return { type, detail: said.does, action, message: toolMessage(said) };
}

function shellFault(command: string, fault: ShellFault | undefined): Fault | undefined {
  if (fault === undefined) return undefined;
  const { type, delegate } = fault;
  const detail = keptText(fault.detail, detailLengthMax);
  const reason = keptText(fault.reason, commandLengthMax);
  const message = commandMessage({ command: keptText(command, commandLengthMax), reason, delegate });
  return { type, detail, action: `Spawn ${delegate} subagent via Task tool`, message };
}

/** Another tool may be used, but not to write or run what the known ones may not. */
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
