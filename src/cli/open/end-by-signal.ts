import { constants } from "node:os";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type Ending = (typeof signals)[number];

/** A person ended the command before it started any agent. */
export class EndedBySignal extends Error {
  override readonly name = "EndedBySignal";
  /** As a shell reports it. */
  readonly exit: number;

  constructor(signal: Ending, what: string) {
    super(`stopped while ${what}; no agent was started`);
    this.exit = 128 + constants.signals[signal];
  }
}

/** Aborts at the first signal, with what was at work then. The second one ends the process at once. */
export function endBySignal(atWork: () => string): Disposable & { readonly signal: AbortSignal } {
  const end = new AbortController();
  const stop = () => {
    for (const one of signals) process.off(one, onSignal);
  };
  const onSignal = (signal: Ending) => {
    stop();
    end.abort(new EndedBySignal(signal, atWork()));
  };
  for (const one of signals) process.on(one, onSignal);
  return { signal: end.signal, [Symbol.dispose]: stop };
}
