import { shortened } from "../../core/text/quoted.ts";
import type { ClientHome } from "../../workspace/client-home/client-home.ts";
import type { Abilities, AgentClient, AgentEnd, AgentEvent, AgentStart, Probe, Usage } from "../agent.ts";
import { findFault } from "./find-program.ts";
import { followProgram } from "./follow-program.ts";
import { jsonLine } from "./json-line.ts";

/** A client as the configuration has it. */
export interface ClientSettings {
  readonly model: string | null;
  /** Further arguments, as the person wrote them. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What makes one client different from the others that print a line of JSON for everything that happens. */
export interface StreamClient {
  /** Looked for on PATH. */
  readonly program: string;
  /** What a person does to have it. */
  readonly install: string;
  readonly can: Abilities;
  readonly home: ClientHome;
  readonly passes: readonly string[];
  /** Lines about itself that mean nothing to those who follow the work; absent where it prints none. */
  readonly noise?: RegExp;
  /** Its words, the environment beyond the agent's, and what it reads on stdin. */
  words(start: AgentStart, settings: ClientSettings): Words;
  /** The reading of one run, from its first message on. */
  read(start: AgentStart): StreamReading;
  /** Asked without starting a conversation: the version that is there, or why it cannot work. */
  check(): Promise<{ readonly version: string | null } | Extract<Probe, { usable: false }>>;
  resumeCommand(conversation: string): readonly string[];
}

export interface Words {
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly input: string;
}

export interface StreamReading {
  /** What a message means; nothing for those that mean nothing to us. */
  read(message: unknown): readonly AgentEvent[];
  /** What its own record on disk says that it has used, since the last time; absent where it keeps none. */
  used?(): readonly Usage[];
  /** How it ended by what it said; undefined where it said nothing about it and did not end well. */
  end(result: { readonly exit: number | null; readonly tail: string }): AgentEnd | undefined;
}

const saidLengthMax = 2000;
/** An answer is in the record before its tools run, which can take long and say nothing. */
const recordMs = 1000;
/** A message may hold whole files, before and after. */
const messageLengthMax = 64 * 1024 * 1024;

export function streamClient(client: StreamClient, settings: ClientSettings): AgentClient {
  const { program, install, can, home, passes } = client;
  return {
    home,
    passes,
    resumeCommand: (conversation) => client.resumeCommand(conversation),
    probe: async () => {
      const fault = findFault(program, { root: "/", path: process.env.PATH ?? "" });
      if (fault !== undefined) return { ...fault, reason: `\`${program}\` is not on PATH: ${install}` };
      const checked = await client.check();
      return "usable" in checked ? checked : { usable: true, ...checked, can };
    },
    start: (start) => {
      const reading = client.read(start);
      const { words, env = {}, input } = client.words(start, settings);
      const tellUsed = () => reading.used?.().forEach(start.onEvent);
      const run = followProgram(start, {
        command: [program, ...words],
        env: { ...start.env, ...settings.env, ...env },
        input,
        lineLengthMax: messageLengthMax,
        onLine: (line, from) => {
          const message = from === "stdout" ? jsonLine(line) : undefined;
          const isNoise = client.noise?.test(line) === true || (from === "stderr" && isContinuation(line));
          const events = message === undefined ? [said(isNoise ? "" : line)] : reading.read(message);
          // A message that means nothing to us is still a sign of life.
          for (const event of events.length > 0 ? events : [said("")]) start.onEvent(event);
          if (message !== undefined) tellUsed();
        },
        endOf: (end) => reading.end(end),
      });
      const timer = setInterval(tellUsed, recordMs);
      // However it ended: who is stopped has used what it has used.
      const ended = run.ended.finally(() => {
        clearInterval(timer);
        tellUsed();
      });
      return {
        ended,
        stop: async () => {
          await run.stop();
          await ended;
        },
      };
    },
  };
}

/** Of the line above it: a call in a stack trace, or a part of an object that was printed. */
function isContinuation(line: string): boolean {
  return /^(?:\s|[\]})]+[,;]?$)/.test(line);
}

function said(line: string): AgentEvent {
  return { type: "said", text: shortened(line.trimEnd(), saidLengthMax).toWellFormed() };
}
