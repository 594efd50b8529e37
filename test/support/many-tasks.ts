import type { TaskState } from "../../src/core/tasks/states.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { sampleTask } from "./sample-task.ts";

const states: readonly TaskState[] = ["PENDING", "MERGED", "PENDING", "FAILED", "PENDING"];
const atOnce = 1000;

/** Fills a ledger with tasks of one session, a thousand in each commit. */
export async function addManyTasks(
  ledger: Ledger,
  { session, count }: { readonly session: string; readonly count: number },
): Promise<void> {
  for (let first = 0; first < count; first += atOnce) {
    const at = new Date(Date.now() - 3_600_000 + first).toISOString();
    const tasks = Array.from({ length: Math.min(atOnce, count - first) }, (_, offset) => {
      const number = first + offset + 1;
      const id = `T-${number}`;
      const state = states[number % states.length] ?? "PENDING";
      const needs = number % 5 === 0 && number > 5 ? [`${session}/T-${number - 5}`] : [];
      const assignment = {
        lock_scope: [`src/part-${number}`, `test/part-${number}.test.ts`],
        forbidden_scope: [],
      };
      const key = `${session}/${id}`;
      return sampleTask({
        ...{ key, id, session, state, assignment, dependsOn: needs, version: 0 },
        title: `Part ${number} of many`,
        agent: `agent-${number % 7}`,
        tokens: number,
        createdAt: at,
        updatedAt: at,
      });
    });
    const events = tasks.map(({ key, state, title }) => ({
      at,
      type: "task.created",
      actor: "run",
      cause: "task-add",
      task: key,
      from: null,
      to: state,
      data: { title },
    }));
    const committed = await ledger.commit({ tasks, events });
    if ("conflict" in committed) throw new Error(committed.conflict);
  }
}
