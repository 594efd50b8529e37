import type { Stops } from "../../run/conduct/conduct.ts";
import type { RunWatcher } from "../run-view/run-watcher.ts";

interface Listening {
  watcher(): RunWatcher;
  /** The process that does the tasks, while this one only watches. */
  otherRun(): number | undefined;
}

export interface Listened extends Stops, Disposable {
  interrupt(): void;
  /** The process that goes on with what this one only watched. */
  readonly left: number | undefined;
}

const endings = ["SIGTERM", "SIGHUP"] as const;

/** Ctrl-C once: start nothing more. Twice, or another signal that ends programs: stop the agents. */
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
    if (!watcher().isLent) interrupt();
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
  if (left !== undefined) return `leaving; process ${left} goes on with the tasks`;
  return now
    ? "stopping the agents; everything is kept"
    : "starting nothing more; once more stops the agents";
}
