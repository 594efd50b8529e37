import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import { installFolder } from "../../workspace/process/install-folder.ts";

export interface ToThread {
  readonly port?: number;
}

/** `ledger`: the name of the shared ledger that the board shows; null for the one of this machine. */
export interface BoardFound {
  readonly port: number;
  readonly ledger: string | null;
}

export type FromThread = BoardFound | { readonly pages: number };

/** A ledger that needs more is too large for the board. The warm process itself continues. */
const memoryMbMax = 1024;

/** Opens the board in a thread when it is first asked for, and keeps it. */
export class BoardHost implements AsyncDisposable {
  #thread: { readonly worker: Worker; readonly found: Promise<BoardFound> } | undefined;
  #pages = 0;

  /** Whether pages are open. */
  get isBusy(): boolean {
    return this.#pages > 0;
  }

  async open(wanted: number | undefined): Promise<BoardFound | Deny> {
    this.#thread ??= this.#start(wanted);
    try {
      const found = await this.#thread.found;
      const { port } = found;
      if (wanted === undefined || wanted === port) return found;
      return deny(
        "R-ST-001",
        `the board is already open on port ${port}: leave out --port, or end its server`,
        { port },
      );
    } catch (error) {
      this.#thread = undefined;
      const isTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
      const why = isTaken ? `port ${wanted} is taken: choose another one` : (error as Error).message;
      return deny("R-IN-001", `the board cannot be opened: ${why}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#thread?.worker;
    if (worker === undefined) return;
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    worker.postMessage("close");
    await ended;
  }

  #start(port: number | undefined) {
    const worker = new Worker(join(installFolder(), "dist", "main.cjs"), {
      workerData: port === undefined ? {} : { port },
      resourceLimits: { maxOldGenerationSizeMb: memoryMbMax },
    });
    const { promise, resolve, reject } = Promise.withResolvers<BoardFound>();
    worker.on("message", (message: FromThread) => {
      if ("port" in message) resolve(message);
      else this.#pages = message.pages;
    });
    worker.on("error", reject);
    worker.on("exit", () => {
      this.#thread = undefined;
      this.#pages = 0;
      reject(new Error("its thread has ended"));
    });
    return { worker, found: promise };
  }
}
