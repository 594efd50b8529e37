import { field } from "../core/points/fields.ts";
import { readJsonBytes } from "../core/text/read-json.ts";
import type { GuardEndpoint } from "../guard/guard-endpoint.ts";

/** As long as an agent's session counts as one. */
const sessionMs = 12 * 3600 * 1000;
const sessionsMax = 1000;

/**
 * When the guard was last used. A client that calls over HTTP cannot start the server again, so one whose session has
 * not ended keeps it running.
 */
export class Usage {
  readonly #guard: GuardEndpoint;
  readonly #idleMs: number;
  readonly #sessions = new Map<string, number>();
  #lastMs = performance.now();
  #underWay = 0;

  constructor(guard: GuardEndpoint, idleMs: number) {
    this.#guard = guard;
    this.#idleMs = idleMs;
  }

  readonly onSocket: GuardEndpoint = async (...call) => {
    this.#underWay += 1;
    try {
      return await this.#guard(...call);
    } finally {
      this.#underWay -= 1;
      this.#lastMs = performance.now();
    }
  };

  readonly overHttp: GuardEndpoint = (client, payload, env) => {
    this.#note(payload);
    return this.onSocket(client, payload, env);
  };

  isOver(): boolean {
    const now = performance.now();
    for (const [session, usedMs] of this.#sessions)
      if (now - usedMs > sessionMs) this.#sessions.delete(session);
    return this.#underWay === 0 && this.#sessions.size === 0 && now - this.#lastMs >= this.#idleMs;
  }

  #note(payload: Uint8Array): void {
    const document = readJsonBytes(payload);
    const session = field(document, "session_id");
    if (typeof session !== "string") return;
    this.#sessions.delete(session); // the newest stand last
    if (field(document, "hook_event_name") === "SessionEnd") return;
    this.#sessions.set(session.slice(0, 200), performance.now());
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > sessionsMax && oldest !== undefined) this.#sessions.delete(oldest);
  }
}
