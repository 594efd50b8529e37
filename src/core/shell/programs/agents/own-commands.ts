/** Who may call a command of Lockstep's: each also where a later one may. */
export type CommandRight = "anyone" | "task" | "orchestrator" | "person";

/** What agents may call. Everything else is a person's. */
const rights: readonly (readonly [string, Exclude<CommandRight, "person">])[] = [
  ["claim", "anyone"],
  ["status", "anyone"],
  ["explain", "anyone"],
  ["hook", "anyone"],
  ["help", "anyone"],
  ["completion", "anyone"],
  ["__complete", "anyone"],
  ["schema", "anyone"],
  ["self-check", "anyone"],
  ["task list", "anyone"],
  ["task show", "anyone"],
  ["agent-session summary", "anyone"],
  ["agent-session validate", "anyone"],
  ["heartbeat", "task"],
  ["submit", "task"],
  ["widen", "task"],
  ["task escalate", "task"],
  ["dispatch", "orchestrator"],
  ["lock list", "orchestrator"],
  ["report", "orchestrator"],
  ["agent-session init orchestrator", "orchestrator"],
];

/** `words` are the command and its operands, without options. */
export function commandRight(words: readonly string[]): CommandRight {
  const said = words.join(" ");
  if (said === "decide") return "orchestrator"; // the list; with more words it is an answer
  return rights.find(([command]) => said === command || said.startsWith(`${command} `))?.[1] ?? "person";
}
