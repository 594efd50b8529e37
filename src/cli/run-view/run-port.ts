import { concernsSession, isOfSession } from "../../core/names/task-name.ts";
import { readStatus } from "../../engine/views/read-status.ts";
import type { IntegrationContext } from "../../run/landing/integration.ts";
import { readTaskLog } from "../../run/landing/task-logs.ts";
import { statusNames } from "../../view/status-names.ts";
import { hasPager, ownCommand, showOwnCommand } from "../output/own-command.ts";
import type { RunPort } from "./live-view.ts";

interface Looked {
  readonly session: string;
  readonly stateFolder: string;
  readonly stops: { interrupt(): void };
  otherRun(): number | undefined;
}

/** The live view's access to the run. */
export function runPort(
  { engine }: Pick<IntegrationContext, "engine">,
  { session, stateFolder, stops, otherRun }: Looked,
): RunPort {
  let nameOf = (key: string) => key;
  return {
    async read() {
      const { tasks, decisions } = await readStatus(engine);
      nameOf = statusNames(tasks).of;
      const isOwn = (key: string) => isOfSession(key, session);
      return {
        tasks: tasks.filter(({ key }) => isOwn(key)),
        decisions: decisions.filter(({ task }) => concernsSession(task, session)),
        nameOf,
        otherRun: otherRun(),
      };
    },
    log: (task) => readTaskLog(stateFolder, task),
    diff: (task) => showOwnCommand(["diff", nameOf(task)], { stays: !hasPager() }),
    take: (task) => showOwnCommand(["take", task], { stays: true }),
    stop: async (task) => {
      const { exit, stdout, fault } = await ownCommand(["stop", task]);
      return exit === 0 ? stdout.trim() : (fault ?? `the task cannot be stopped (exit ${exit})`);
    },
    answer: () => showOwnCommand(["decide"], { stays: true }),
    interrupt: () => stops.interrupt(),
  };
}
