import type { Survey } from "../ledger.ts";
import type { Connection } from "./connection.ts";
import { readEvents } from "./read-events.ts";
import { readLocks } from "./read-locks.ts";
import { readDecisions, readNewestAttempts, readSessions, readTasks } from "./read-tasks.ts";
import { readSealed } from "./sealed-rows.ts";

const eventsMax = 200;

/** To be called inside one transaction. */
export function readSurvey(connection: Connection): Survey {
  const newest = (type: keyof Survey["events"]) =>
    readEvents(connection, { type, newestFirst: true, limit: eventsMax });
  return {
    tasks: readTasks(connection),
    attempts: readNewestAttempts(connection),
    locks: readLocks(connection, { active: true }),
    decisions: readDecisions(connection, "pending"),
    sessions: readSessions(connection),
    breaker: readSealed(connection, "settings", "breaker"),
    events: {
      "land.refused": newest("land.refused"),
      "task.merged": newest("task.merged"),
      "agent.limited": newest("agent.limited"),
    },
  };
}
