import { isObject } from "../../core/values/fields.ts";
import type { ToolInput } from "./tool-input.ts";

export type ViolationType =
  | "READ_LIMIT_EXCEEDED"
  | "DIRECT_GREP"
  | "DIRECT_GLOB"
  | "DIRECT_WRITE"
  | "DIRECT_EDIT"
  | "BASH_DANGEROUS_COMMAND"
  | "BASH_DIRECT_WRITE"
  | "BASH_UNKNOWN_COMMAND";

/** Something that an orchestrator did itself, or tried to do, instead of delegating it. */
export interface Violation {
  readonly type: ViolationType;
  readonly tool: string;
  readonly timestamp: string;
  /** False if it was found only after the call. */
  readonly blocked: boolean;
  readonly tool_input: ToolInput;
  /** The program or path concerned. */
  readonly detail: string;
  readonly action: string;
}

/** The state of one orchestrating agent, with the field names of its file. */
export interface OrchestratorState {
  readonly session_id: string;
  readonly agent_role: "orchestrator" | "subagent";
  /** Read calls that were allowed since the last spawn. */
  readonly read_count: number;
  readonly violations: readonly Pick<Violation, "type" | "tool" | "timestamp" | "blocked" | "tool_input">[];
  readonly files_read: readonly string[];
  readonly created_at: string;
  /** The client's own session; null until its first call. */
  readonly client_session: string | null;
  /** Read calls that were refused since the last spawn. */
  readonly blocked_reads: number;
  /** The newest judged calls: a client with two settings files runs its hooks twice. */
  readonly recent_calls: readonly string[];
}

export const stateBytesMax = 256 * 1024;
const violationsMax = 100;
const filesReadMax = 200;
const recentCallsMax = 40;
const pathLengthMax = 500;
const countMax = 1_000_000;

export function newState(
  role: OrchestratorState["agent_role"],
  {
    id,
    clientSession,
    now,
  }: { readonly id: string; readonly clientSession: string | null; readonly now: Date },
): OrchestratorState {
  return {
    session_id: id,
    agent_role: role,
    read_count: 0,
    violations: [],
    files_read: [],
    created_at: now.toISOString(),
    client_session: clientSession,
    blocked_reads: 0,
    recent_calls: [],
  };
}

export function withViolation(
  state: OrchestratorState,
  { type, tool, timestamp, blocked, tool_input }: Violation,
): OrchestratorState {
  const violations = [...state.violations, { type, tool, timestamp, blocked, tool_input }];
  return { ...state, violations: violations.slice(-violationsMax) };
}

export function withReads(state: OrchestratorState, paths: readonly string[]): OrchestratorState {
  const files = [...state.files_read, ...paths.map((path) => path.slice(0, pathLengthMax))];
  return {
    ...state,
    read_count: state.read_count + Math.max(1, paths.length),
    files_read: files.slice(-filesReadMax),
  };
}

/** Used after a spawn and when the role changes. Violations are kept. */
export function withoutReads(state: OrchestratorState): OrchestratorState {
  return { ...state, read_count: 0, blocked_reads: 0, files_read: [] };
}

export function withRole(state: OrchestratorState, role: OrchestratorState["agent_role"]): OrchestratorState {
  return state.agent_role === role ? state : { ...withoutReads(state), agent_role: role };
}

export function withCall(state: OrchestratorState, call: string): OrchestratorState {
  return { ...state, recent_calls: [...state.recent_calls, call].slice(-recentCallsMax) };
}

/**
 * Parses a state file; undefined if it is invalid in any way. Other tools write fewer fields and shorter ids: absent
 * fields have defaults, except the role.
 */
export function parseState(text: string, writtenAt: Date): OrchestratorState | undefined {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(found)) return undefined;
  const absent = {
    ...{ session_id: "unnamed", read_count: 0, violations: [], files_read: [] },
    ...{ created_at: writtenAt.toISOString(), client_session: null, blocked_reads: 0, recent_calls: [] },
  };
  const given = { ...absent, ...found };
  const state = { ...given, session_id: withPrefix(given.session_id) };
  return isState(state) ? state : undefined;
}

function isState(state: Readonly<Record<string, unknown>>): state is OrchestratorState & typeof state {
  return (
    isSessionId(state.session_id) &&
    (state.agent_role === "orchestrator" || state.agent_role === "subagent") &&
    isCount(state.read_count) &&
    isCount(state.blocked_reads) &&
    isTime(state.created_at) &&
    (state.client_session === null || isShort(state.client_session)) &&
    isList(state.violations, violationsMax, isViolation) &&
    isList(state.files_read, filesReadMax, isShort) &&
    isList(state.recent_calls, recentCallsMax, isShort)
  );
}

function withPrefix(id: unknown): unknown {
  return typeof id === "string" && /^(?!sess_)[A-Za-z0-9_-]{1,64}$/.test(id) ? `sess_${id}` : id;
}

/** A session id becomes part of file names. */
export function isSessionId(value: unknown): value is string {
  return typeof value === "string" && /^sess_[A-Za-z0-9_-]{1,64}$/.test(value);
}

function isViolation(value: unknown): boolean {
  return (
    isObject(value) && isShort(value.tool) && isTime(value.timestamp) && typeof value.blocked === "boolean"
  );
}

function isList(value: unknown, max: number, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length <= max && value.every(isItem);
}

function isShort(value: unknown): value is string {
  return typeof value === "string" && value.length <= pathLengthMax;
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= countMax;
}

function isTime(value: unknown): boolean {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));
}
