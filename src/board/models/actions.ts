import type { Action } from "../../contract/board.ts";
import type { TaskStatus } from "../../engine/views/read-status.ts";
import { mayBeTaken } from "../../run/conduct/fleet/take-over.ts";
import { isTaken } from "../../view/task-words.ts";

const widened = ["IN_PROGRESS", "PENDING", "BLOCKED", "REJECTED", "FAILED", "ESCALATED"];

/** What a person can do with a task now. The operations judge each request again. */
export function actionsFor(task: TaskStatus, name: string): readonly Action[] {
  const { state, hold, reverted_by: reverted, commit } = task;
  const isStopped =
    state === "BLOCKED" && hold !== null && ["stopped", "reported", "deny"].includes(hold.kind);
  const actions: readonly (Action & { readonly fits: boolean })[] = [
    {
      fits: state === "IN_PROGRESS" && !isTaken(task),
      name: "stop",
      label: "Stop",
      does: "ends its agent and keeps all its work",
      command: `lockstep stop ${name}`,
      asks: [],
    },
    {
      fits: mayBeTaken(task) && !isTaken(task),
      name: "take",
      label: "Take over",
      does: "stops its agent and gives you its folder; the locks stay",
      command: `lockstep take ${name}`,
      asks: [],
    },
    {
      fits: isStopped || (state === "MERGED" && reverted !== null),
      name: "retry",
      label: "Retry",
      does: "lets an agent start again",
      command: `lockstep task retry ${name}`,
      asks: [],
    },
    {
      fits: state === "ESCALATED" || state === "FAILED",
      name: "resolve",
      label: "Resolve",
      does: "answers it: the next attempt reads your note",
      command: `lockstep task resolve ${name} --note "…"`,
      asks: ["note"],
    },
    {
      fits: widened.includes(state),
      name: "widen",
      label: "Widen",
      does: "lets it change more paths",
      command: `lockstep widen ${name} PATH --why "…"`,
      asks: ["paths", "why"],
    },
    {
      fits: state === "MERGED" && reverted === null && commit !== null,
      name: "rollback",
      label: "Roll back",
      does: "reverts its merge, and what was merged on top of it; first as a dry run",
      command: `lockstep rollback task ${name} --dry-run`,
      asks: [],
    },
  ];
  return actions.filter(({ fits }) => fits).map(({ fits: _fits, ...action }) => action);
}
