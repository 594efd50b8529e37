import { hashText } from "../text/hash-text.ts";
import { shortened } from "../text/quoted.ts";
import type { LoopLimits } from "./loop-limits.ts";
import { Repetition } from "./repetition.ts";
import type { Signal } from "./signal.ts";
import { callFingerprint, editedPaths, kindOf, type ToolCall } from "./tool-call.ts";

export type Step =
  | ({ readonly type: "tool" } & ToolCall)
  /** A tool's output, or the beginning of it. */
  | { readonly type: "tool-result"; readonly text: string };

/** More targets than any honest attempt has; further ones are not counted. */
const targetsMax = 10_000;
const shownLengthMax = 100;

/**
 * Follows the steps of one attempt and reports loops (C-19, X-4). Each kind of signal warns once. What an honest agent
 * may also do only warns; nothing halts below a limit that S1 or its guardrails name.
 */
export class LoopWatch {
  readonly #limits: LoopLimits;
  readonly #repetition = new Repetition();
  readonly #edits = new Map<string, number>();
  readonly #refused = new Map<string, number>();
  readonly #warned = new Set<Signal["signal"]>();
  #fetches = 0;
  #waiting = false;

  constructor(limits: LoopLimits) {
    this.#limits = limits;
  }

  /** The most serious signal of this step. */
  see(step: Step): Signal | undefined {
    const found = step.type === "tool" ? this.#called(step) : this.#answered(step.text);
    const signals = found.filter((signal) => signal !== undefined);
    const halt = signals.find(({ level }) => level === "halt");
    const warn = signals.find(({ level, signal }) => level === "warn" && !this.#warned.has(signal));
    if (halt === undefined && warn !== undefined) this.#warned.add(warn.signal);
    return halt ?? warn;
  }

  #called(call: ToolCall): (Signal | undefined)[] {
    const kind = kindOf(call);
    this.#waiting = kind === "wait";
    if (kind === "wait") return [];
    const repeated = this.#repeated(call);
    if (kind === "fetch") return [repeated, this.#fetched()];
    if (kind !== "edit") return [repeated];
    this.#repetition.edited();
    return [repeated, ...editedPaths(call).map((path) => this.#edited(path))];
  }

  #repeated(call: ToolCall): Signal | undefined {
    const fingerprint = callFingerprint(call);
    if (fingerprint === undefined) return this.#repetition.renew();
    const { times, staleSteps } = this.#repetition.called(fingerprint);
    const { warnTimes, haltSteps } = Repetition;
    const about = { signal: "same_call", fingerprint, limit: haltSteps } as const;
    const name = shortened(call.name, shownLengthMax);
    if (staleSteps >= haltSteps)
      return {
        ...about,
        level: "halt",
        count: staleSteps,
        reason: `the agent repeated itself for ${staleSteps} steps, last with \`${name}\``,
      };
    if (times < warnTimes) return undefined;
    const reason = `the agent called \`${name}\` ${times} times with the same arguments and nothing new in between`;
    return { ...about, level: "warn", count: times, reason };
  }

  #fetched(): Signal | undefined {
    this.#fetches += 1;
    const event = `the agent fetched ${this.#fetches} times from the web in one attempt`;
    return budget("fetches", { count: this.#fetches, ...this.#limits.fetches }, event);
  }

  #edited(path: string): Signal | undefined {
    const count = counted(this.#edits, path);
    const event = `the agent edited \`${shortened(path, shownLengthMax)}\` ${count} times in one attempt`;
    return budget("edits", { count, ...this.#limits.edits }, event, path);
  }

  #answered(text: string): (Signal | undefined)[] {
    if (this.#waiting) return [];
    return [this.#refusedWrite(text), this.#sameOutput(text)];
  }

  #sameOutput(text: string): Signal | undefined {
    const fingerprint = this.#repetition.answered(text);
    if (fingerprint === undefined) return undefined;
    const reason = "a tool gave the same output twice in a row";
    return { signal: "same_output", level: "warn", count: 2, limit: null, fingerprint, reason };
  }

  #refusedWrite(text: string): Signal | undefined {
    const [, code, target] = refusal.exec(text.slice(0, refusalLengthMax)) ?? [];
    if (code === undefined || target === undefined) return undefined;
    const count = counted(this.#refused, target);
    const limit = this.#limits.refusedWrites;
    if (count < limit) return undefined;
    const reason = `writing \`${shortened(target, shownLengthMax)}\` was refused ${count} times (${code})`;
    return { signal: "refused_write", level: "halt", count, limit, fingerprint: hashText(target), reason };
  }
}

/** The message of the write rules, in any form in which a client shows it. A text that only mentions the code does not match. */
const refusal =
  /\b(R-PW-00[12])\b[^`]{0,30}`([^`\n]{1,500})` (?:must not be written|lies outside|is not a valid path)/;
const refusalLengthMax = 1000;

function counted(counts: Map<string, number>, key: string): number {
  const count = (counts.get(key) ?? 0) + 1;
  if (count > 1 || counts.size < targetsMax) counts.set(key, count);
  return count;
}

interface Counted {
  readonly count: number;
  readonly warn: number;
  readonly halt: number;
}

function budget(
  signal: "edits" | "fetches",
  { count, warn, halt }: Counted,
  event: string,
  about: string = signal,
): Signal | undefined {
  if (count < warn) return undefined;
  const level = count >= halt ? "halt" : "warn";
  const reason = level === "halt" ? `${event}, which is the limit` : `${event}; the limit is ${halt}`;
  return { signal, level, count, limit: halt, fingerprint: hashText(about), reason };
}
