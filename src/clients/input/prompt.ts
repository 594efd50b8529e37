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
  /** The project's root, which may contain its own text for the role. */
  readonly root: string;
}

/** The whole task, for a new conversation. */
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

/** For a continued conversation: only what the last review refused. */
export function promptToFix(input: UniversalInput): string {
  const todo = fixingOf(input) || "Continue where you left off.";
  return `${todo}\n\nYour task, your scope and the form of your answer have not changed.`;
}

function rulesOf({ task, assignment, worklog_path }: UniversalInput): readonly string[] {
  const { lock_scope, forbidden_scope } = assignment;
  return [
    ...contextRules(task),
    `Write only in ${inTicks(lock_scope)}, and in your worklog ${inTicks([worklog_path])}.`,
    ...(forbidden_scope.length > 0 ? [`Never write in ${inTicks(forbidden_scope)}.`] : []),
    `If you need another path, ask for it and continue with the rest: \`lockstep widen ${shellWord(task.id)} PATH --why "…"\`. Anything else that you write is refused.`,
    "Lockstep takes your working tree: you need not commit, and you must not push or touch other branches.",
    "The acceptance checks are run for you afterwards, on the merged tree.",
    testsRule(assignment),
    `Append to ${inTicks([worklog_path])} what you did and why, in short; no secrets.`,
    "Do not start other agents or ask questions: if you cannot continue, answer `BLOCKED` with the reason.",
  ];
}

/** The agent sees this rule before it starts, so that most agents never break it. */
function testsRule({ may_change_tests }: UniversalInput["assignment"]): string {
  const allowed = may_change_tests ?? [];
  const free = allowed.length === 0 ? "" : ` A person has allowed changes to ${inTicks(allowed)}.`;
  return `The tests of the base judge your change: they run on it as they were before you, without the tests, helpers and test configuration that you added. Every test that passed before must still run and pass. Add tests as you like; deleting, skipping or weakening one stops the merge until a person accepts it.${free}`;
}

interface RoleRequest extends PromptFacts {
  readonly purpose: Purpose;
  /** The files to write: paths and globs from the project's root. */
  readonly files: readonly string[];
}

const requests: Readonly<Record<Purpose, string>> = {
  spec: "Write the specification of what `task.goal` asks for.",
  "lean-setup":
    "This looks small: write a short specification, and a plan with the one task that implements it.",
  research: "Find out what `task.goal` asks.",
  architecture: "Design an architecture that meets the specification.",
  "design-spec": "Design what users see and do.",
  correction: "A person asks for changes, as `task.goal` says: change your files, and keep the rest of them.",
  plan: "Plan the work.",
  "final-review": "Review the session's whole work.",
  "final-tests": "Test the session's whole work.",
  "final-security": "Review the security of the session's whole work.",
  integration: "Find out whether the session's whole work builds and works together.",
  release: "Write the report of this session.",
};

/** For a role that writes files of the session and no code. */
export function promptForRole(input: UniversalInput, request: RoleRequest): string {
  const { role, root, purpose } = request;
  const text = rolePrompt(role, { root });
  return joined([
    openingOf(role, text),
    `Your request now: ${requests[purpose]}`,
    inputRule,
    listed("Rules:", [...instructionsAt(root), ...roleRules(input, request)]),
    fixingOf(input),
    answerForm(input, role, text),
    inputPart(input),
  ]);
}

function roleRules({ task }: UniversalInput, { role, files }: RoleRequest): readonly string[] {
  const way =
    role === "Researcher"
      ? "answer `NEEDS_INFO` with each question under `artifacts.questions`"
      : "answer `BLOCKED` with the reason";
  return [
    ...contextRules(task),
    ...(files.length === 0
      ? ["Write no files: everything that you write is discarded."]
      : [
          `Write ${inTicks(files)}. Everything else that you write is discarded, including code.`,
          "Markdown is simple and to the point: plain sentences, each thing once, nothing superfluous.",
        ]),
    "Add your assumptions and the remaining problems to `assumptions` and `known_issues` of the session's `status.json`; do not change the rest of it.",
    `Do not start other agents. If only a person can decide, ${way}.`,
  ];
}
