import type { ClientHome } from "../workspace/client-home/client-home.ts";

/** What Lockstep can ask of any client that works on a task: start it, follow it, stop it. */
export interface AgentClient {
  /** Where it keeps logins and conversations; absent where it keeps none. */
  readonly home?: ClientHome;
  /** Environment variables of the person's that it needs to find its login and its server. */
  readonly passes: readonly string[];
  /** Whether it can be used here, and what it can do. Costs no money. */
  probe(): Promise<Probe>;
  start(start: AgentStart): AgentRun;
  /** What a person types in the checkout to go on with a conversation; absent where the client has none. */
  resumeCommand?(conversation: string): readonly string[];
}

export type Probe =
  | { readonly usable: true; readonly version: string | null; readonly can: Abilities }
  /** unauthenticated: a person has to log in. */
  | {
      readonly usable: false;
      readonly why: "missing" | "unauthenticated" | "broken";
      readonly reason: string;
    };

export interface Abilities {
  /** A conversation can be gone on with. */
  readonly resume: boolean;
  /** It asks before every tool call. */
  readonly hooks: boolean;
  readonly usage: boolean;
  readonly cost: boolean;
  readonly model: boolean;
  /** It can be held to a JSON Schema. */
  readonly structured: boolean;
}

export interface AgentStart {
  /** The universal input (S4) with the assignment (S0), for programs. */
  readonly input: unknown;
  /** The same for those who read prose; only what is new where a conversation goes on. */
  readonly prompt: string;
  /** What to start instead of a program, with exactly this environment; walls are put up here. */
  wrap(
    command: readonly string[],
    env: Readonly<Record<string, string>>,
  ): { readonly command: readonly string[]; readonly env: Readonly<Record<string, string>> };
  /** The walls stand: the client need not ask for leave. Otherwise its strictest mode that can still edit. */
  readonly walled: boolean;
  readonly folder: string;
  /** Where a path of the client's home lies that it writes in there. */
  outside(path: string): string;
  readonly env: Readonly<Record<string, string>>;
  readonly msMax: number;
  /** The conversation to go on with, where the client can. */
  readonly resume?: string;
  readonly onEvent: (event: AgentEvent) => void;
}

export type AgentEvent =
  /** Any sign of life; `text` is what a person would want to see of it. */
  | { readonly type: "said"; readonly text: string }
  /** `text` is one line about it; `input` what it was called with, for telling repetitions. */
  | { readonly type: "tool"; readonly name: string; readonly text: string; readonly input: unknown }
  /** What a tool gave back, or the beginning of it. */
  | { readonly type: "tool-result"; readonly text: string }
  /** Since the last one. Tokens are those generated and those read uncached; a task's budget counts them. */
  | Usage
  | { readonly type: "conversation"; readonly id: string };

export interface Usage {
  readonly type: "usage";
  readonly tokens: number;
  readonly input?: number;
  readonly cached?: number;
  readonly output?: number;
  readonly costUsd?: number;
  /** How many answers of the model it is about, where it is told of several together. */
  readonly turns?: number;
}

export interface AgentRun {
  readonly ended: Promise<AgentEnd>;
  /** Ends it and everything that it started. */
  stop(): Promise<void>;
}

export type AgentEnd =
  /** `answer`: the last JSON object that it gave, as it is; undefined if there was none. */
  | { readonly how: "done"; readonly answer: unknown }
  | { readonly how: "failed"; readonly reason: string; readonly output: string }
  /** Out of quota. Null: nobody said for how long. */
  | { readonly how: "limited"; readonly until: Date | null; readonly reason: string }
  | { readonly how: "unauthenticated"; readonly reason: string }
  /** Its server cannot be reached, or is overloaded. */
  | { readonly how: "unavailable"; readonly reason: string }
  | { readonly how: "stopped" };
