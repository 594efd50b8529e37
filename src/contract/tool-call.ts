/** A client's hook call in a neutral form. The guard sees only this form, whatever names the client uses. */
export interface ToolCall {
  readonly event: GuardEvent;
  /** The client's own session; a subagent has the same one if the client does not distinguish them. */
  readonly session: string | null;
  readonly actor: Actor;
  /** The client's name of the tool; empty for events without a tool. */
  readonly tool: string;
  /** Matches the event before a tool call with the event after it. */
  readonly callId: string | null;
  /** The arguments as the client sent them; used only to compare calls. */
  readonly input?: unknown;
  readonly operation: Operation;
  /** The working folder of this call, as an absolute path. */
  readonly folder: string;
  /** Set if the client allows a hook to replace the call's command. */
  readonly replaceable?: Replaceable;
  /** The outcome of the call, after it: its text, or the beginning and the end of a long text. */
  readonly outcome?: { readonly failed: boolean; readonly text: string };
}

/** `in quotes`: the client only recognises the program in a text with expansions if the expansions are quoted. */
export type Replaceable = "as it is" | "in quotes";

export type GuardEvent =
  | "before-tool"
  | "after-tool"
  | "session-start"
  | "session-end"
  | "compact"
  | "stop"
  | "subagent-start"
  | "subagent-stop"
  /** The client's settings change while it runs. */
  | "settings-change"
  /** A known event that the guard ignores. */
  | "other";

interface Actor {
  /** The client's own id of a subagent; null for the main session, or if the client does not report it. */
  readonly agentId: string | null;
  /** For example `general-purpose` or `orchestrator`. */
  readonly agentType: string | null;
}

/** What a call would do. The strictest part of it decides. */
export type Operation =
  | { readonly kind: "none" }
  | { readonly kind: "read"; readonly paths: readonly string[]; readonly search: "Grep" | "Glob" | null }
  /**
   * Paths as written in the call; relative ones are relative to the call's folder. A move lists both the source
   * and the target.
   */
  | { readonly kind: "write"; readonly targets: readonly WriteTarget[]; readonly bytes: number }
  /** `typed`: input to a shell or program that is already running, in an unknown folder. */
  | { readonly kind: "shell"; readonly command: string; readonly typed?: true }
  /** Starts another agent. */
  | { readonly kind: "spawn"; readonly agentType: string | null; readonly agentId: string | null }
  /**
   * An unknown tool, which includes MCP tools. `paths` come from path-like fields, `commands` from command-like
   * ones, `texts` is all the rest. `reads`: a whole word of the tool's name says that it reads, and no argument
   * holds content.
   */
  | {
      readonly kind: "unknown";
      readonly reads: boolean;
      readonly paths: readonly string[];
      readonly commands: readonly string[];
      readonly texts: readonly string[];
    }
  /** The payload could not be parsed: denied while any task is active. */
  | { readonly kind: "malformed"; readonly reason: string };

export interface WriteTarget {
  readonly path: string;
  readonly action: "create" | "edit" | "delete" | "move";
}

/** The guard's answer, before it is translated into the client's format. */
export interface GuardAnswer {
  readonly allow: boolean;
  /** For the agent: the reason of a refusal, or information. One or more lines. */
  readonly reason: string;
  /** Shown to the model at the start of a session or with a result, if the client supports it. */
  readonly context?: string;
  /** Runs instead of the call's own command. */
  readonly command?: string;
  /** True if the user's own permission rules allow the call's command without a prompt. */
  readonly approved?: boolean;
  /** The stop is refused: the agent continues with this text. */
  readonly goOn?: string;
}

/** The exact output and exit code of the hook process. */
export interface NativeAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}

interface ProjectPlace {
  readonly root: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What each client folder implements. */
export interface GuardedClient {
  /** Accepts any event of any client version, parsed from JSON; never throws. */
  parse(payload: unknown, at: { readonly folder: string }): ToolCall;
  render(answer: GuardAnswer, call: ToolCall, payload: unknown): NativeAnswer;
  /**
   * Whether the user's own permission rules allow the call's command. Needed if the client no longer applies them
   * to a replaced command.
   */
  approves?(call: ToolCall, payload: unknown, at: ProjectPlace): boolean;
}
