import type { Snapshot } from "../../core/points/ports.ts";
import { stateWords } from "../../core/tasks/states.ts";
import type { Engine } from "../change/engine.ts";
import { listLocks } from "../change/list-locks.ts";

const learningsMax = 200;

/** The data from the ledger that must survive a compaction. */
export async function takeSnapshot(engine: Pick<Engine, "ledger" | "clock">): Promise<Snapshot> {
  const tasks = await engine.ledger.tasks();
  const events = await engine.ledger.events({ newestFirst: true, limit: learningsMax });
  const learned = ["task.rejected", "task.denied", "task.halted", "task.escalated", "task.resolved"];
  return {
    ledger: tasks.map(({ key, state, title, refusal, dependsOn, attempts, epoch }) => ({
      task_id: key,
      state,
      status: stateWords[state].hook,
      title,
      code: refusal?.code ?? null,
      reason: refusal?.reason ?? null,
      depends_on: dependsOn,
      attempts,
      epoch,
    })),
    locks: (await listLocks(engine)).locks,
    blockers: tasks
      .filter(({ state }) => ["BLOCKED", "REJECTED", "FAILED", "ESCALATED"].includes(state))
      .map(({ key, state, hold, refusal }) => ({
        task_id: key,
        state,
        waiting_for: hold?.by ?? null,
        ...refusal,
      })),
    learnings: events
      .filter(({ type }) => learned.includes(type))
      .map(({ at, type, task, data }) => ({ at, type, task_id: task, data })),
  };
}
