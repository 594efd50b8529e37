import { shortened } from "../../core/text/quoted.ts";
import type { ClientHome } from "../../workspace/client-home/client-home.ts";
import type { Abilities, AgentClient, AgentEnd, AgentEvent, AgentStart, Probe, Usage } from "../agent.ts";
import { findFault } from "./find-program.ts";
import { followProgram } from "./follow-program.ts";
import { jsonLine } from "./json-line.ts";

/** A client's settings in the configuration. */
export interface ClientSettings {
  readonly model: string | null;
  /** The user's additional arguments. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A client that prints a line of JSON for every event. */
export interface StreamClient {
  /** Searched on PATH. */
  readonly program: string;
  /** How the user installs it. */
  readonly install: string;
  readonly can: Abilities;
  readonly home: ClientHome;
  readonly passes: readonly string[];
  /** Lines that are not shown, because they are only about the client itself. */
  readonly noise?: RegExp;
  /** Its arguments, additional environment variables, and its stdin. */
  words(start: AgentStart, settings: ClientSettings): Words;
  /** The reader of one run's messages. */
  read(start: AgentStart): StreamReading;
  /** The installed version, or why the client cannot work. Starts no conversation. */
  check(): Promise<{ readonly version: string | null } | Extract<Probe, { usable: false }>>;
  resumeCommand(conversation: string): readonly string[];
}

export interface Words {
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly input: string;
}

export interface StreamReading {
  /** The events of a message; none if the message is not relevant. */
  read(message: unknown): readonly AgentEvent[];
  /** New usage in the client's own record on disk; absent if it keeps none. */
  used?(): readonly Usage[];
  /** How the run ended according to its messages; undefined if it failed without saying why. */
  end(result: { readonly exit: number | null; readonly tail: string }): AgentEnd | undefined;
}

const saidLengthMax = 2000;
/** How often the record is read: usage is in it before tools run, and those can be silent for a long time. */
const recordMs = 1000;
/** A message may contain two versions of a whole file. */
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
      const reportUsage = () => reading.used?.().forEach(start.onEvent);
      const run = followProgram(start, {
        command: [program, ...words],
        env: { ...start.env, ...settings.env, ...env },
        input,
        lineLengthMax: messageLengthMax,
        onLine: (line, from) => {
          const message = from === "stdout" ? jsonLine(line) : undefined;
          const isNoise = client.noise?.test(line) === true || (from === "stderr" && isContinuation(line));
          const events = message === undefined ? [said(isNoise ? "" : line)] : reading.read(message);
          // A message without events is still a sign of life.
          for (const event of events.length > 0 ? events : [said("")]) start.onEvent(event);
          if (message !== undefined) reportUsage();
        },
        endOf: (end) => reading.end(end),
      });
      const timer = setInterval(reportUsage, recordMs);
      // The usage of a stopped run counts too.
      const ended = run.ended.finally(() => {
        clearInterval(timer);
        reportUsage();
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

/** True for a line that continues the one above: a call in a stack trace, or a part of a printed object. */
function isContinuation(line: string): boolean {
  return /^(?:\s|[\]})]+[,;]?$)/.test(line);
}

function said(line: string): AgentEvent {
  return { type: "said", text: shortened(line.trimEnd(), saidLengthMax).toWellFormed() };
}
