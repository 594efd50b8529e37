import type { ServerResponse } from "node:http";
import { type Changed, messageBytesMax } from "../../contract/board.ts";
import type { Engine } from "../../engine/change/engine.ts";
import { harmlessJson, jsonBytes } from "../models/bounded.ts";

const lookMs = 250;
const quietMs = 15_000;
const pageMax = 500;
const namedMax = 200;
/** Heartbeats change the ledger without an event; pages hear of them this often. */
const beatMs = 2000;

interface Listener {
  readonly response: ServerResponse;
  seq: number;
}

/**
 * Tells open pages what has changed, as server-sent events. Each message has the number of the last event: a page that
 * reconnects sends the number that it knows and hears of everything since.
 */
export class Live implements Disposable {
  readonly #engine: Engine;
  readonly #listeners = new Set<Listener>();
  readonly #onFault: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #version = "";
  #sentMs = 0;
  #quietMs = Date.now();

  constructor(engine: Engine, onFault: (error: unknown) => void) {
    this.#engine = engine;
    this.#onFault = onFault;
  }

  get size(): number {
    return this.#listeners.size;
  }

  async add(response: ServerResponse, seq: number): Promise<void> {
    const listener: Listener = { response, seq };
    this.#listeners.add(listener);
    response.on("close", () => this.#listeners.delete(listener));
    response.write(": connected\n\n");
    await this.#tell(listener, true);
    this.#timer ??= setTimeout(() => this.#look(), lookMs);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    for (const { response } of this.#listeners) response.end();
    this.#listeners.clear();
  }

  #look(): void {
    this.#timer = undefined;
    if (this.#listeners.size === 0) return;
    this.#tellAll()
      .catch(this.#onFault)
      .finally(() => {
        this.#timer ??= setTimeout(() => this.#look(), lookMs);
      });
  }

  async #tellAll(): Promise<void> {
    const version = this.#engine.ledger.version();
    const now = Date.now();
    if (version !== this.#version) {
      this.#version = version;
      const isBeat = now - this.#sentMs > beatMs;
      if (isBeat) this.#sentMs = now;
      for (const listener of this.#listeners) await this.#tell(listener, isBeat);
    }
    if (now - this.#quietMs < quietMs) return;
    this.#quietMs = now;
    // Keeps the connection open, and finds out that a page is gone.
    for (const { response } of this.#listeners) response.write(": still here\n\n");
  }

  /** `isForced`: sends a message even without new events. */
  async #tell(listener: Listener, isForced: boolean): Promise<void> {
    const events = await this.#engine.ledger.events({ after: listener.seq, limit: pageMax });
    if (events.length === 0 && !isForced) return;
    const keys = new Set(events.flatMap(({ task }) => task ?? []));
    const isMore = events.length === pageMax;
    const [last] = isMore
      ? await this.#engine.ledger.events({ newestFirst: true, limit: 1 })
      : [events.at(-1)];
    listener.seq = last?.seq ?? listener.seq;
    const changed: Changed = {
      seq: listener.seq,
      tasks: isMore || keys.size > namedMax ? null : [...keys],
      needs: isMore || events.some(({ type }) => type.startsWith("decision.") || type.startsWith("task.")),
    };
    const shown = jsonBytes(changed) < messageBytesMax / 2 ? changed : { ...changed, tasks: null };
    // A page that does not read gets the newest state later instead of every message.
    if (listener.response.writableLength < messageBytesMax)
      listener.response.write(`id: ${shown.seq}\ndata: ${harmlessJson(shown)}\n\n`);
  }
}
