import type { AgentEvent } from "../../clients/agent.ts";
import { loopLimits } from "../../core/loops/loop-limits.ts";
import { LoopWatch } from "../../core/loops/loop-watch.ts";
import type { Signal } from "../../core/loops/signal.ts";
import { shortened } from "../../core/text/quoted.ts";
import type { HaltInput } from "../../engine/attempts/halt-task.ts";
import type { EngineLimits } from "../../engine/change/engine.ts";

const linesMax = 10;
const lineLengthMax = 200;

/** Detects loops in one attempt, across restarts of its agent, and keeps the last events for the report of a halt. */
export class LoopGuard {
  readonly #watch: LoopWatch;
  readonly #last: string[] = [];

  constructor(limits: Pick<EngineLimits, "sameError" | "tokens">) {
    this.#watch = new LoopWatch(loopLimits(limits));
  }

  see(event: AgentEvent): Signal | undefined {
    if ("text" in event && event.text.trim() !== "") this.#keep(event);
    return event.type === "tool" || event.type === "tool-result" ? this.#watch.see(event) : undefined;
  }

  /** The halt for the ledger: the signal and the agent's last events. */
  haltOf(task: string, signal: Signal): HaltInput {
    const { level: _level, reason, ...about } = signal;
    return {
      task,
      refusal: { code: "R-BG-001", reason: `task \`${task}\` is in a loop: ${reason}`, details: {} },
      halt: { ...about, last: [...this.#last] },
    };
  }

  #keep(event: Extract<AgentEvent, { readonly text: string }>): void {
    const name = event.type === "tool" ? `${event.name}: ` : "";
    this.#last.push(
      shortened(`${name}${event.text}`.replace(/\s+/g, " ").trim(), lineLengthMax).toWellFormed(),
    );
    if (this.#last.length > linesMax) this.#last.shift();
  }
}
