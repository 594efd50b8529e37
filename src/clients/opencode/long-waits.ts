import type { AgentClient, AgentEnd } from "../agent.ts";
import { readRetry } from "./read-error.ts";

/** Longer than OpenCode's own retries without a time from the server, and than a model's time to the first word. */
const usualPatienceMs = 120_000;

/**
 * OpenCode waits as long as its server says, even for hours, and only logs one line. A run that waits too long is
 * stopped, and ends with the reason for the wait.
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
