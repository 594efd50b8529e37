import { isStringList } from "../../core/values/fields.ts";
import type { AnswerOf } from "../../engine/operate.ts";
import { shortName } from "../../view/task-names.ts";
import { clockTime } from "../../workspace/process/local-time.ts";
import { type AskOptions, ask } from "../open/ask.ts";
import { showReading } from "../output/reading.ts";
import { counted, printable, table } from "../output/table.ts";
import { tellVerdict } from "../output/verdicts.ts";

interface MachineOptions extends AskOptions {
  readonly json?: boolean;
}

export function machineListCommand({ json }: MachineOptions): Promise<number> {
  return showReading({ json, text: machinesText }, () => ask("machine-list", {}));
}

function machinesText({ machines }: AnswerOf<"machine-list">): string {
  if (machines.length === 0) return "the ledger belongs to this machine: see docs/machines.md to share it\n";
  const rows = machines.map(({ id, name, slots, labels, tasks, last_seen_at, is_this, ...more }) => [
    `${name}${is_this ? " (this one)" : ""}`,
    id,
    more.dead
      ? "dead"
      : more.gone
        ? "away"
        : more.draining
          ? "draining"
          : slots === 0
            ? "-"
            : `${tasks.length} of ${slots}`,
    labels.join(", ") || "-",
    [...tasks.map(shortName), ...more.conducts.map((session) => `conducts ${session}`)].join(", ") || "-",
    clockTime(last_seen_at),
  ]);
  const lacking = machines.flatMap(({ name, lacks }) => lacks.map((why) => `${name} lacks: ${why}`));
  return [
    table(["MACHINE", "ID", "SLOTS", "LABELS", "WORK", "SEEN"], rows),
    ...lacking.map((line) => `${printable(line)}\n`),
  ].join("");
}

export function machineDrainCommand(machine: string, { json, ...options }: MachineOptions): Promise<number> {
  const text = ({ details }: { readonly details?: Readonly<Record<string, unknown>> }) => {
    const { name, tasks, changed } = details ?? {};
    const left = isStringList(tasks) ? tasks : [];
    const already = changed === false ? "already " : "";
    const rest = left.length === 0 ? "it has no tasks" : `${counted(left.length, "task")} may finish`;
    return `${printable(String(name))} ${already}starts nothing more; ${rest}`;
  };
  return tellVerdict({ json, text }, () => ask("machine-drain", { machine }, options));
}

export function machineForgetCommand(machine: string, { json, ...options }: MachineOptions): Promise<number> {
  const text = ({ details }: { readonly details?: Readonly<Record<string, unknown>> }) =>
    `${printable(String(details?.name))} ${details?.dry_run === true ? "would be" : "is"} no longer listed`;
  return tellVerdict({ json, text }, () => ask("machine-forget", { machine }, options));
}
