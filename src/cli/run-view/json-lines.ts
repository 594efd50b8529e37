import { concernsSession, idOfKey, isOfSession, sessionOfKey } from "../../core/names/task-name.ts";
import type { Ledger, LedgerEvent } from "../../ledger/ledger.ts";
import { LedgerFollower } from "../../run/conduct/fleet/follow-ledger.ts";
import { writeAll } from "../output/descriptor.ts";

const lookMs = 200;

/** `run --json-lines`: prints every event of a session's tasks and decisions as a line of JSON, as it happens. */
export class JsonLines implements AsyncDisposable {
  readonly #follower: LedgerFollower;
  readonly #session: string | null;
  #looking: Promise<void> = Promise.resolve();
  #fault: unknown;
  readonly #timer: NodeJS.Timeout;

  private constructor(follower: LedgerFollower, session: string | null) {
    this.#follower = follower;
    this.#session = session;
    this.#timer = setInterval(() => this.#look(), lookMs);
    this.#timer.unref();
  }

  /** Events before this call are not printed. Without a session, those of all tasks are. */
  static async open(ledger: Ledger, session: string | null): Promise<JsonLines> {
    return new JsonLines(await LedgerFollower.open(ledger), session);
  }

  /** Waits until every event is printed. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#look();
    await this.#looking;
    if (this.#fault !== undefined) throw this.#fault;
  }

  /** Reads run one after the other, so that no event is printed twice. */
  #look(): void {
    this.#looking = this.#looking
      .then(async () => {
        const news = await this.#follower.news();
        const own = news.filter(({ task }) => concerns(task, this.#session));
        writeAll(1, own.map((event) => `${JSON.stringify(lineOf(event, this.#session))}\n`).join(""));
      })
      .catch((error: unknown) => {
        this.#fault ??= error;
      });
  }
}

function concerns(task: string | null, session: string | null): boolean {
  return task !== null && (session === null || concernsSession(task, session));
}

function lineOf({ at, seq, type, task, from, to, actor, data }: LedgerEvent, asked: string | null) {
  const session = asked ?? sessionOfKey(task ?? "");
  const id = task !== null && (session === null || isOfSession(task, session)) ? idOfKey(task) : null;
  return { event: type, at, seq, session, task: id, key: task, from, to, actor, data };
}
