/** The questions that an orchestrating agent asks itself before every tool call. */
export const selfCheckQuestions = [
  {
    name: "Role Check",
    question: "Am I an orchestrator?",
    rule: "If not, the other checks do not apply: continue.",
  },
  {
    name: "Tool Whitelist Check",
    question: "Is this tool allowed?",
    rule: "Task (Agent), TodoWrite, AskUserQuestion, and Read at most twice. Never Write, Edit, Grep or Glob.",
  },
  {
    name: "Read Count Check",
    question: "Is this my third Read, or a later one?",
    rule: "Then only coordination files may be read. Spawning an agent resets the count.",
  },
  {
    name: "Bash Command Check",
    question: "Does the command run rm, git, npm run or node .claude/tools/, or write in the project?",
    rule: "Leave it to developer or qa.",
  },
  {
    name: "Analysis Intent Check",
    question: "Am I about to analyze code?",
    rule: "Leave it to analyst or Explore.",
  },
] as const;

const verdict = "Stop and delegate if ANY check fails.";

/** The questions as a list, for prompts, documents and terminals. */
export function selfCheckText(): string {
  const lines = selfCheckQuestions.map(
    ({ name, question, rule }, index) => `${index + 1}. ${name}: ${question} ${rule}`,
  );
  return ["Before every tool call, an orchestrating agent asks itself:", "", ...lines, "", verdict].join(
    "\n",
  );
}
