import { idOfKey } from "../../../names/task-name.ts";
import { known } from "../../text.ts";
import type { Program } from "../../types.ts";
import { named } from "../row/words.ts";
import { agentNames } from "./agent-names.ts";
import { commandRight } from "./own-commands.ts";

const agent: Program = (call, effects) => {
  const only = call.args.length === 1 ? known(call.args[0] ?? []) : undefined;
  if (only !== undefined && /^(?:--version|-v|-V|--help|-h|help|version)$/.test(only)) return;
  effects.refuse("agent", `\`${call.name}\` starts another agent: do the work yourself, or ask a person`);
};

const plainOptions = /^(?:--help|-h|--version|-v|-V|--json|--debug)$/;

/** Lockstep's own commands. The command checks the caller's rights again when it runs. */
const lockstep: Program = (call, effects) => {
  const at = call.args.findIndex((word) => !plainOptions.test(known(word) ?? ""));
  const words = at < 0 ? [] : call.args.slice(at);
  const first = known(words[0] ?? []);
  if (words.length === 0 || call.args.some((word) => /^(?:--help|-h)$/.test(known(word) ?? ""))) return;
  const command = words.map((word) => known(word) ?? "…").filter((word) => !plainOptions.test(word));
  const right = commandRight(command);
  const named = right === "task" || first === "claim" ? words[first === "task" ? 2 : 1] : undefined;
  const foreign = named !== undefined && call.task !== undefined && !isSameTask(known(named), call.task);
  if (right === "orchestrator" ? call.orchestrates === true : right !== "person" && !foreign) return;
  const why = foreign
    ? "acts for another task: name your own task"
    : "is a person's command: ask a person to run it";
  effects.refuse("lockstep", `\`lockstep ${first ?? "…"}\` ${why}`);
};

/** A task of a session may also be named by its id. */
function isSameTask(name: string | undefined, task: string): boolean {
  return name === task || name === idOfKey(task);
}

/** Amazon's `q` is an agent only with `chat` or `translate`. */
const q: Program = (call, effects) => {
  if (/^(?:chat|translate)$/.test(known(call.args[0] ?? []) ?? ""))
    effects.refuse("agent", "`q chat` starts another agent: do the work yourself, or ask a person");
};

export const agents = new Map<string, Program>([
  ...named(agentNames.join(" "), agent),
  ["lockstep", lockstep],
  ["lockstep.cjs", lockstep],
  ["q", q],
]);
