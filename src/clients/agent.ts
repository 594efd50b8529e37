/** What Lockstep can ask of any client that works on a task: start it, follow it, stop it. */
export interface AgentClient {
  /** Whether it can be used here, and what it can do. Costs no money. */
  probe(): Promise<Probe>;
  start(start: AgentStart): AgentRun;
}

export type Probe =
  | { readonly usable: true; readonly version: string | null; readonly can: Abilities }
  /** unauthenticated: a person has to log in. */
  | {
      readonly usable: false;
      readonly why: "missing" | "unauthenticated" | "broken";
      readonly reason: string;
    };

interface Abilities {
  readonly resume: boolean;
  readonly usage: boolean;
  readonly cost: boolean;
}

export interface AgentStart {
  /** The universal input (S4) with the assignment (S0): what the agent is asked to do. */
  readonly input: unknown;
  /** What to start instead of a program, with exactly this environment; walls are put up here. */
  wrap(
    command: readonly string[],
    env: Readonly<Record<string, string>>,
  ): { readonly command: readonly string[]; readonly env: Readonly<Record<string, string>> };
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly msMax: number;
  /** The conversation to go on with, where the client can. */
  readonly resume?: string;
  readonly onEvent: (event: AgentEvent) => void;
}

export type AgentEvent =
  /** Any sign of life; `text` is what a person would want to see of it. */
  | { readonly type: "said"; readonly text: string }
  | { readonly type: "tool"; readonly name: string; readonly text: string }
  /** Since the last one. Tokens are those generated and those read uncached. */
  | { readonly type: "usage"; readonly tokens: number; readonly costUsd?: number }
  | { readonly type: "conversation"; readonly id: string };

interface AgentRun {
  readonly ended: Promise<AgentEnd>;
  /** Ends it and everything that it started. */
  stop(): Promise<void>;
}

export type AgentEnd =
  /** `answer`: the last JSON object that it gave, as it is; undefined if there was none. */
  | { readonly how: "done"; readonly answer: unknown }
  | { readonly how: "failed"; readonly reason: string; readonly output: string }
  | { readonly how: "limited"; readonly until: Date | null; readonly reason: string }
  | { readonly how: "unauthenticated"; readonly reason: string }
  | { readonly how: "stopped" };
