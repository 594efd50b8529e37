import type { ClientHome } from "../workspace/client-home/client-home.ts";

/** A client that works on tasks: Lockstep starts, follows and stops it. */
export interface AgentClient {
  /** The folders with its logins and conversations; absent if it has none. */
  readonly home?: ClientHome;
  /** The user's environment variables that it needs for its login and its server. */
  readonly passes: readonly string[];
  /** Whether it can be used here, and its abilities. Makes no paid request. */
  probe(): Promise<Probe>;
  start(start: AgentStart): AgentRun;
  /** The command that a user runs in the checkout to continue a conversation; absent if the client cannot. */
  resumeCommand?(conversation: string): readonly string[];
}

export type Probe =
  | { readonly usable: true; readonly version: string | null; readonly can: Abilities }
  /** `unauthenticated`: the user has to log in. */
  | {
      readonly usable: false;
      readonly why: "missing" | "unauthenticated" | "broken";
      readonly reason: string;
    };

export interface Abilities {
  /** It can continue a conversation. */
  readonly resume: boolean;
  /** It calls a hook before every tool call. */
  readonly hooks: boolean;
  readonly usage: boolean;
  readonly cost: boolean;
  readonly model: boolean;
  /** Its answer can be forced to match a JSON Schema. */
  readonly structured: boolean;
}

export interface AgentStart {
  /** The universal input (S4) with the assignment (S0), for programs. */
  readonly input: unknown;
  /** The same as prose, for clients; in a continued conversation only the new part. */
  readonly prompt: string;
  /** The command to start instead of the program, and its whole environment: this adds the sandbox. */
  wrap(
    command: readonly string[],
    env: Readonly<Record<string, string>>,
  ): { readonly command: readonly string[]; readonly env: Readonly<Record<string, string>> };
  /** True in the sandbox: the client need not ask for permission. Otherwise its strictest mode that can still edit. */
  readonly sandboxed: boolean;
  readonly folder: string;
  /** The path outside the sandbox for a path in the client's home. */
  outside(path: string): string;
  readonly env: Readonly<Record<string, string>>;
  readonly msMax: number;
  /** The conversation to continue, if the client can. */
  readonly resume?: string;
  readonly onEvent: (event: AgentEvent) => void;
}

export type AgentEvent =
  /** Any sign of life; `text` is shown to the user. */
  | { readonly type: "said"; readonly text: string }
  /** `text` is one line about the call; `input` are its arguments, to detect repetitions. */
  | { readonly type: "tool"; readonly name: string; readonly text: string; readonly input: unknown }
  /** The result of a tool, or its beginning. */
  | { readonly type: "tool-result"; readonly text: string }
  /** Usage since the last event. `tokens` are those generated and those read uncached; a task's budget counts them. */
  | Usage
  | { readonly type: "conversation"; readonly id: string };

export interface Usage {
  readonly type: "usage";
  readonly tokens: number;
  readonly input?: number;
  readonly cached?: number;
  readonly output?: number;
  readonly costUsd?: number;
  /** The number of model answers, if one event covers several. */
  readonly turns?: number;
}

export interface AgentRun {
  readonly ended: Promise<AgentEnd>;
  /** Ends it and everything that it started. */
  stop(): Promise<void>;
}

export type AgentEnd =
  /** `answer`: the last JSON object that it printed, unchanged; undefined if there was none. */
  | { readonly how: "done"; readonly answer: unknown }
  | { readonly how: "failed"; readonly reason: string; readonly output: string }
  /** Out of quota. `until` is null if the end is unknown. */
  | { readonly how: "limited"; readonly until: Date | null; readonly reason: string }
  | { readonly how: "unauthenticated"; readonly reason: string }
  /** Its server cannot be reached, or is overloaded. */
  | { readonly how: "unavailable"; readonly reason: string }
  | { readonly how: "stopped" };
