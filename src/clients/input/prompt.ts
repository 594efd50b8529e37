import { selfCheckText } from "../../core/rules/self-check.ts";
import type { Purpose } from "../../core/session/session.ts";
import { shellWord } from "../../core/text/quoted.ts";
import { rolePrompt } from "../roles/role-prompt.ts";
import {
  answerForm,
  contextRules,
  fixingOf,
  inputPart,
  inputRule,
  instructionsAt,
  inTicks,
  joined,
  listed,
  openingOf,
} from "./prompt-parts.ts";
import type { UniversalInput } from "./universal-input.ts";

export interface PromptFacts {
  readonly role: string;
  /** The project's root, which may have its own text for the role. */
  readonly root: string;
}

/** The whole task, for a client that knows nothing of it yet. */
export function promptFor(input: UniversalInput, { role, root }: PromptFacts): string {
  const text = rolePrompt(role, { root });
  return joined([
    openingOf(role, text),
    inputRule,
    listed("Rules:", [...instructionsAt(root), ...rulesOf(input)]),
    role === "Orchestrator" ? selfCheckText() : "",
    fixingOf(input),
    answerForm(input, role, text),
    inputPart(input),
  ]);
}

/** For the same conversation as before: only what the last review refused. */
export function promptToFix(input: UniversalInput): string {
  const todo = fixingOf(input) || "Go on where you left off.";
  return `${todo}\n\nYour task, your scope and the form of your answer are as before.`;
}

function rulesOf({ task, assignment, worklog_path }: UniversalInput): readonly string[] {
  const { lock_scope, forbidden_scope } = assignment;
  return [
    ...contextRules(task),
    `Write only in ${inTicks(lock_scope)}, and in your worklog ${inTicks([worklog_path])}.`,
    ...(forbidden_scope.length > 0 ? [`Never write in ${inTicks(forbidden_scope)}.`] : []),
    `If you need another path, ask for it and go on with the rest: \`lockstep widen ${shellWord(task.id)} PATH --why "…"\`. Anything else that you write is refused.`,
    "Your working tree is what counts: you need not commit, and you must not push or touch other branches.",
    "The acceptance checks are run for you afterwards, on the merged tree.",
    testsRule(assignment),
    `Append to ${inTicks([worklog_path])} what you did and why, in short; no secrets.`,
    "Start no other agents, and ask nobody: if you cannot go on, answer `BLOCKED` with the reason.",
  ];
}

/** Told before the work starts, so that most never meet it. */
function testsRule({ may_change_tests }: UniversalInput["assignment"]): string {
  const allowed = may_change_tests ?? [];
  const free = allowed.length === 0 ? "" : ` A person has allowed changes to ${inTicks(allowed)}.`;
  return `The tests of the base judge your change: they run on it as they were before you, without the tests, helpers and test configuration that you added. Every test that passed before must still run and pass. Add tests as you like; deleting, skipping or weakening one stops the merge until a person accepts it.${free}`;
}

interface RoleWish extends PromptFacts {
  readonly purpose: Purpose;
  /** What it writes: paths and globs from the project's root. */
  readonly files: readonly string[];
}

const wishes: Readonly<Record<Purpose, string>> = {
  spec: "Write the specification of what `task.goal` asks for.",
  "lean-setup":
    "This looks small: write its specification in short, and the plan with the one task that does it.",
  research: "Find out what `task.goal` asks.",
  architecture: "Design how the specification is met.",
  "design-spec": "Design what people see and do.",
  correction: "A person asks for changes, as `task.goal` says: change your files, and keep the rest of them.",
  plan: "Plan the work.",
  "final-review": "Review the session's whole work.",
  "final-tests": "Test the session's whole work.",
  "final-security": "Look at the session's whole work.",
  integration: "Find out whether the session's whole work builds and holds together.",
  release: "Write the report of this session.",
};

/** For a role that writes files of the session and no code. */
export function promptForRole(input: UniversalInput, wish: RoleWish): string {
  const { role, root, purpose } = wish;
  const text = rolePrompt(role, { root });
  return joined([
    openingOf(role, text),
    `What you are asked for now: ${wishes[purpose]}`,
    inputRule,
    listed("Rules:", [...instructionsAt(root), ...roleRules(input, wish)]),
    fixingOf(input),
    answerForm(input, role, text),
    inputPart(input),
  ]);
}

function roleRules({ task }: UniversalInput, { role, files }: RoleWish): readonly string[] {
  const way =
    role === "Researcher"
      ? "answer `NEEDS_INFO` with each question under `artifacts.questions`"
      : "answer `BLOCKED` with the reason";
  return [
    ...contextRules(task),
    ...(files.length === 0
      ? ["Write nothing: whatever you write is thrown away."]
      : [
          `Write ${inTicks(files)}. Whatever else you write is thrown away, in the code too.`,
          "Markdown is simple and to the point: plain sentences, each thing once, nothing that nobody needs.",
        ]),
    "What you assume, and problems that stay, are added to `assumptions` and `known_issues` of the session's `status.json`; the rest of it is not yours.",
    `Start no other agents. Where only a person can go on, ${way}.`,
  ];
}
