import type { AgentClient, AgentEnd } from "../agent.ts";
import { readRetry } from "./read-error.ts";

/** Longer than it waits by itself where the server names no time, and than a model thinks before its first word. */
const usualPatienceMs = 120_000;

/**
 * It waits as long as its server says, be it for hours, and says nothing meanwhile but a line in its log. Whoever
 * waits longer than that is stopped, and the end is the reason for waiting.
 */
export function endingLongWaits(client: AgentClient, patienceMs = usualPatienceMs): AgentClient {
  return {
    ...client,
    start: (start) => {
      let timer: NodeJS.Timeout | undefined;
      let over: AgentEnd | undefined;
      const run = client.start({
        ...start,
        onEvent: (event) => {
          clearTimeout(timer);
          const waits = event.type === "said" ? readRetry(event.text) : undefined;
          if (waits !== undefined)
            timer = setTimeout(() => {
              over = waits;
              void run.stop();
            }, patienceMs);
          start.onEvent(event);
        },
      });
      const ended = run.ended.then((end) => {
        clearTimeout(timer);
        return end.how === "stopped" ? (over ?? end) : end;
      });
      return { ...run, ended };
    },
  };
}
