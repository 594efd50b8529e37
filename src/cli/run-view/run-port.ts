import { concernsSession, isOfSession } from "../../core/names/task-name.ts";
import type { Engine } from "../../engine/change/engine.ts";
import { readStatus } from "../../engine/views/read-status.ts";
import type { IntegrationContext } from "../../run/landing/integration.ts";
import { LogReader } from "../../run/landing/work/read-logs.ts";
import { readTaskLog } from "../../run/landing/work/task-logs.ts";
import { machinesLine } from "../../view/machine-words.ts";
import { statusNames } from "../../view/status-names.ts";
import { hasPager, ownCommand, showOwnCommand } from "../output/own-command.ts";
import type { RunPort } from "./live-view.ts";

interface Looked {
  readonly session: string;
  readonly stateFolder: string;
  readonly stops: { interrupt(): void };
  otherRun(): number | undefined;
}

const logMs = 1000;

/** The log of a task as last read. Those of other machines are read at most once a second. */
function logsOf(engine: Engine, stateFolder: string): RunPort["log"] {
  if (engine.ledger.logs === undefined) return (task) => readTaskLog(stateFolder, task);
  const known = new Map<string, { readonly reader: LogReader; text: string | undefined; nextMs: number }>();
  return (task) => {
    const log = known.get(task) ?? {
      reader: new LogReader(engine, stateFolder, task),
      text: readTaskLog(stateFolder, task),
      nextMs: -Infinity,
    };
    known.set(task, log);
    if (performance.now() < log.nextMs) return log.text;
    const isFirst = log.nextMs === -Infinity;
    log.nextMs = Infinity;
    void log.reader
      .read()
      .then((found) => {
        const more = found?.lines.map((line) => `${line}\n`).join("");
        if (more !== undefined) log.text = isFirst ? more : `${log.text ?? ""}${more}`;
      })
      .catch(() => {}) // shown as it was; the view itself reports a ledger that cannot be reached
      .finally(() => {
        log.nextMs = performance.now() + logMs;
      });
    return log.text;
  };
}

/** The live view's access to the run. */
export function runPort(
  { engine }: Pick<IntegrationContext, "engine">,
  { session, stateFolder, stops, otherRun }: Looked,
): RunPort {
  let nameOf = (key: string) => key;
  return {
    async read() {
      const { tasks, decisions, machines } = await readStatus(engine);
      nameOf = statusNames(tasks).of;
      const isOwn = (key: string) => isOfSession(key, session);
      return {
        tasks: tasks.filter(({ key }) => isOwn(key)),
        decisions: decisions.filter(({ task }) => concernsSession(task, session)),
        nameOf,
        otherRun: otherRun(),
        machines: machinesLine(machines),
      };
    },
    log: logsOf(engine, stateFolder),
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
