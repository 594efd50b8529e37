import type { AgentEvent } from "../../clients/agent.ts";
import { HeadAndTail } from "../../core/text/head-and-tail.ts";

const headMax = 512 * 1024;
const tailMax = 512 * 1024;
/** These lines are always passed on: masking a private key line by line needs its first and last line (INV-8). */
const keyMark = /(?:BEGIN|END) [A-Z0-9 ]*PRIVATE KEY/;

/** Passes on an agent's output. If there is too much, passes on only the beginning and, when it ends, the end. */
export class BoundedTalk {
  readonly #said = new HeadAndTail({ headMax, tailMax }, (line) => keyMark.test(line));
  readonly #onEvent: (event: AgentEvent) => void;

  constructor(onEvent: (event: AgentEvent) => void) {
    this.#onEvent = onEvent;
  }

  see(event: AgentEvent): void {
    const place = event.type === "said" && event.text !== "" ? this.#said.add(event.text) : "head";
    if (place === "head") this.#onEvent(event);
    else if (place === "first") this.#say("(too much output: only the end of the rest is kept)");
    // An empty text is a sign of life.
    else this.#say("");
  }

  end(): void {
    const { leftOut, tail } = this.#said.rest();
    if (leftOut.lines > 0) {
      const megabytes = (leftOut.characters / 1024 / 1024).toFixed(1);
      this.#say(`(${leftOut.lines} lines, ${megabytes} MB, left out)`);
    }
    if (leftOut.lastMark !== undefined) this.#say(leftOut.lastMark);
    for (const text of tail) this.#say(text);
  }

  #say(text: string): void {
    this.#onEvent({ type: "said", text });
  }
}
