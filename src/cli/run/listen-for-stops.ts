import type { Stops } from "../../run/conduct/conduct.ts";
import { shortName } from "../../view/task-names.ts";
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
  let landing: readonly string[] = [];
  const stop = (now: boolean) => {
    left = gently.signal.aborted ? left : otherRun();
    if (now) atOnce.abort();
    gently.abort();
    const { endKeys = "Ctrl-C" } = watcher();
    watcher().remark(remarkOf({ left, now, landing, endKeys }));
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
    onLanding: (tasks) => {
      landing = tasks;
    },
    get left() {
      return left;
    },
    [Symbol.dispose]: () => {
      process.off("SIGINT", onInterrupt);
      for (const signal of endings) process.off(signal, onEnding);
    },
  };
}

interface Stopping {
  readonly left: number | undefined;
  readonly now: boolean;
  /** The tasks that are being merged. */
  readonly landing: readonly string[];
  readonly endKeys: string;
}

function remarkOf({ left, now, landing, endKeys }: Stopping): string {
  if (left !== undefined) return `Leaving. Process ${left} continues with the tasks.`;
  const names = landing.map(shortName).join(", ");
  if (now)
    return names === ""
      ? "Stopping the agents. Their work is kept."
      : `Finishing the landing of ${names}, then the run ends. Agents at work are stopped, and their work is kept.`;
  const end = names === "" ? "" : ` The landing of ${names} will be completed first.`;
  return `No new task starts.${end} Press ${endKeys} again to stop the agents.`;
}
