/** The least right that a command of Lockstep needs. Each right includes the ones before it. */
export type CommandRight = "anyone" | "task" | "orchestrator" | "person";

/** Commands that agents may run. All others need a person. */
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
  const command = words.join(" ");
  if (command === "decide") return "orchestrator"; // this lists decisions; with more words it answers one
  return (
    rights.find(([allowed]) => command === allowed || command.startsWith(`${allowed} `))?.[1] ?? "person"
  );
}
