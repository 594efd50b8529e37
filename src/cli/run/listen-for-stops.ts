import type { Stops } from "../../run/conduct/conduct.ts";
import type { RunWatcher } from "../run-view/run-watcher.ts";

interface Listening {
  watcher(): RunWatcher;
  /** The process that runs the tasks, if this one only watches. */
  otherRun(): number | undefined;
}

export interface Listened extends Stops, Disposable {
  interrupt(): void;
  /** The process that continues the tasks, if this one only watched. */
  readonly left: number | undefined;
}

const endings = ["SIGTERM", "SIGHUP"] as const;

/** The first Ctrl-C starts no new tasks. The second one, SIGTERM or SIGHUP stops the agents. */
export function listenForStops({ watcher, otherRun }: Listening): Listened {
  const [gently, atOnce] = [new AbortController(), new AbortController()];
  let left: number | undefined;
  const stop = (now: boolean) => {
    left = gently.signal.aborted ? left : otherRun();
    if (now) atOnce.abort();
    gently.abort();
    watcher().remark(remarkOf({ left, now }));
  };
  const interrupt = () => stop(gently.signal.aborted);
  const onInterrupt = () => {
    if (!watcher().isCopied) interrupt();
  };
  const onEnding = () => stop(true);
  process.on("SIGINT", onInterrupt);
  for (const signal of endings) process.on(signal, onEnding);
  return {
    ...{ gently: gently.signal, atOnce: atOnce.signal, interrupt },
    get left() {
      return left;
    },
    [Symbol.dispose]: () => {
      process.off("SIGINT", onInterrupt);
      for (const signal of endings) process.off(signal, onEnding);
    },
  };
}

function remarkOf({ left, now }: { readonly left: number | undefined; readonly now: boolean }): string {
  if (left !== undefined) return `Leaving. Process ${left} continues with the tasks.`;
  return now
    ? "Stopping the agents. Their work is kept."
    : "No new tasks will start. Press Ctrl-C again to stop the running agents.";
}
