/** The neutral form of what a client says to its hooks: whatever its own names are, the guard sees only this. */
export interface ToolCall {
  readonly event: GuardEvent;
  /** The client's own session; the same for a subagent where the client does not tell them apart. */
  readonly session: string | null;
  readonly actor: Actor;
  /** As the client calls it; empty for events without a tool. */
  readonly tool: string;
  /** Tells the two calls of a tool apart, before and after. */
  readonly callId: string | null;
  /** The arguments as the client sent them: to tell two calls apart, and for nothing else. */
  readonly input?: unknown;
  readonly operation: Operation;
  /** Absolute: the working folder of this very call. */
  readonly folder: string;
  /** Set where the client lets a hook put another command in place of the call's own. */
  readonly replaceable?: Replaceable;
  /** What the call itself tells of its outcome, after it: its text, of a long one the beginning and the end. */
  readonly outcome?: { readonly failed: boolean; readonly text: string };
}

/** `in quotes`: the client finds no program in a text that has something to expand, unless that is in quotes. */
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
  /** Somebody changes the client's settings while it runs. */
  | "settings-change"
  /** Known to the client, of no interest to the guard. */
  | "other";

interface Actor {
  /** The client's own id of a subagent; null for the main session, or where the client does not say. */
  readonly agentId: string | null;
  /** Such as `general-purpose` or `orchestrator`. */
  readonly agentType: string | null;
}

/** What a call would do. The strictest part of it decides. */
export type Operation =
  | { readonly kind: "none" }
  | { readonly kind: "read"; readonly paths: readonly string[]; readonly search: "Grep" | "Glob" | null }
  /** As they are spelled, relative ones to the call's folder. `moved` from and to are both written. */
  | { readonly kind: "write"; readonly targets: readonly WriteTarget[]; readonly bytes: number }
  /** `typed`: into a shell or a program that is open, in a folder that nobody tells. */
  | { readonly kind: "shell"; readonly command: string; readonly typed?: true }
  /** Another agent is started. */
  | { readonly kind: "spawn"; readonly agentType: string | null; readonly agentId: string | null }
  /**
   * A tool that nobody here knows, an MCP one too. `paths` are in path-like fields, `commands` in command-like ones,
   * `texts` is all the rest; `reads` where a whole word of its name says so and no argument holds content.
   */
  | {
      readonly kind: "unknown";
      readonly reads: boolean;
      readonly paths: readonly string[];
      readonly commands: readonly string[];
      readonly texts: readonly string[];
    }
  /** The payload could not be understood: denied while anything is active. */
  | { readonly kind: "malformed"; readonly reason: string };

export interface WriteTarget {
  readonly path: string;
  readonly action: "create" | "edit" | "delete" | "move";
}

/** What the guard says, before it is put into a client's own words. */
export interface GuardAnswer {
  readonly allow: boolean;
  /** For the agent: why not, or what it should know. One or more lines. */
  readonly reason: string;
  /** Reaches the model at the beginning of a session, or beside a result, where the client has a way. */
  readonly context?: string;
  /** Runs in place of the call's own command. */
  readonly command?: string;
  /** True if the person's own rules let the call's command run without a question. */
  readonly approved?: boolean;
  /** A stop that is refused: the agent goes on with this. */
  readonly goOn?: string;
}

/** Exactly what the hook process prints and how it ends. */
export interface NativeAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}

interface ProjectPlace {
  readonly root: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** One folder a client: the same two functions in each. */
export interface GuardedClient {
  /** Any event of any version, from bytes that were parsed as JSON; never throws. */
  parse(payload: unknown, at: { readonly folder: string }): ToolCall;
  render(answer: GuardAnswer, call: ToolCall, payload: unknown): NativeAnswer;
  /** Whether the person's own rules allow the command of a call, where the client finds them no longer in a new one. */
  approves?(call: ToolCall, payload: unknown, at: ProjectPlace): boolean;
}
