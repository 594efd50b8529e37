import type { AgentEvent } from "../../clients/agent.ts";
import { HeadAndTail } from "../../core/text/head-and-tail.ts";

const headMax = 512 * 1024;
const tailMax = 512 * 1024;
/** Whoever masks a private key line by line has to see where it begins and ends (INV-8). */
const keyMark = /(?:BEGIN|END) [A-Z0-9 ]*PRIVATE KEY/;

/** Passes on what an agent says, but of a flood only the beginning and, when it is over, the end. */
export class BoundedTalk {
  readonly #said = new HeadAndTail({ headMax, tailMax }, (line) => keyMark.test(line));
  readonly #onEvent: (event: AgentEvent) => void;

  constructor(onEvent: (event: AgentEvent) => void) {
    this.#onEvent = onEvent;
  }

  see(event: AgentEvent): void {
    const place = event.type === "said" && event.text !== "" ? this.#said.add(event.text) : "head";
    if (place === "head") this.#onEvent(event);
    else if (place === "first") this.#say("(it prints a lot: of what follows only the end is kept)");
    // It lives all the same.
    else this.#say("");
  }

  end(): void {
    const { leftOut, tail } = this.#said.rest();
    if (leftOut.lines > 0) {
      const megabytes = (leftOut.characters / 1024 / 1024).toFixed(1);
      this.#say(`(${leftOut.lines} lines, ${megabytes} MB, are left out here)`);
    }
    if (leftOut.lastMark !== undefined) this.#say(leftOut.lastMark);
    for (const text of tail) this.#say(text);
  }

  #say(text: string): void {
    this.#onEvent({ type: "said", text });
  }
}
