import { idOfKey } from "../../../names/task-name.ts";
import { known } from "../../text.ts";
import type { Program } from "../../types.ts";
import { named } from "../row/words.ts";
import { agentNames } from "./agent-names.ts";
import { commandRight } from "./own-commands.ts";

const agent: Program = (call, effects) => {
  const only = call.args.length === 1 ? known(call.args[0] ?? []) : undefined;
  if (only !== undefined && /^(?:--version|-v|-V|--help|-h|help|version)$/.test(only)) return;
  effects.refuse("agent", `\`${call.name}\` is another agent`);
};

const plainOptions = /^(?:--help|-h|--version|-v|-V|--json|--debug)$/;

/** What an agent with a task may call; the command itself refuses by the caller's rights once more. */
const lockstep: Program = (call, effects) => {
  const at = call.args.findIndex((word) => !plainOptions.test(known(word) ?? ""));
  const words = at < 0 ? [] : call.args.slice(at);
  const first = known(words[0] ?? []);
  if (words.length === 0 || call.args.some((word) => /^(?:--help|-h)$/.test(known(word) ?? ""))) return;
  const said = words.map((word) => known(word) ?? "…").filter((word) => !plainOptions.test(word));
  const right = commandRight(said);
  const named = right === "task" || first === "claim" ? words[first === "task" ? 2 : 1] : undefined;
  const foreign = named !== undefined && call.task !== undefined && !means(known(named), call.task);
  if (right === "orchestrator" ? call.orchestrates === true : right !== "person" && !foreign) return;
  const why = foreign ? "speaks for another task" : "is a person's command";
  effects.refuse("lockstep", `\`lockstep ${first ?? "…"}\` ${why}`);
};

/** A task of a session goes by its id too. */
function means(name: string | undefined, task: string): boolean {
  return name === task || name === idOfKey(task);
}

/** Amazon's `q` is an agent only when asked to chat. */
const q: Program = (call, effects) => {
  if (/^(?:chat|translate)$/.test(known(call.args[0] ?? []) ?? ""))
    effects.refuse("agent", "`q chat` is another agent");
};

export const agents = new Map<string, Program>([
  ...named(agentNames.join(" "), agent),
  ["lockstep", lockstep],
  ["lockstep.cjs", lockstep],
  ["q", q],
]);
