import { copyName, sessionPath } from "../core/names/session-paths.ts";
import { judgeArchitecture, judgeSpec } from "../core/session/artifacts/judge-artifacts.ts";
import { readAcceptance } from "../core/session/artifacts/read-acceptance.ts";
import type { Condition } from "../core/session/conditions.ts";
import type { RunContext } from "../run/attempt/run-context.ts";
import { faultLine } from "../workspace/config/config-fault.ts";
import { type LoadedPlan, readPlan } from "../workspace/plan/load-plan.ts";

/** The files of a session, as they are or as they would be. */
export interface SessionFiles {
  read(name: string): string | undefined;
  list(): readonly string[];
}

type Planning = Pick<RunContext, "repository" | "config" | "session">;

/** Conditions that are about what stands in the session's files. */
export type FileCondition = Extract<
  Condition,
  | "spec"
  | "acceptance"
  | "architecture"
  | "research-report"
  | "design-spec"
  | "plan"
  | "single-task"
  | "report"
>;

/** What is wrong with them; nothing where the condition holds. */
export function judgeFiles(
  context: Planning,
  files: SessionFiles,
  conditions: readonly FileCondition[],
): readonly string[] {
  return conditions.flatMap((condition) => judges[condition](files, context));
}

type Judge = (files: SessionFiles, context: Planning) => readonly string[];

const judges: Readonly<Record<FileCondition, Judge>> = {
  spec: (files, context) => judged(files, context, "spec.md", judgeSpec),
  acceptance: (files, context) =>
    judged(files, context, "acceptance.json", (text) => {
      const read = readAcceptance(text);
      return "faults" in read ? read.faults : [];
    }),
  architecture: (files, context) => judged(files, context, "architecture.md", judgeArchitecture),
  "research-report": (files, context) => below(files, context, { folder: "research/", what: "report" }),
  "design-spec": (files, context) => below(files, context, { folder: "design-specs/", what: "design-spec" }),
  plan: (files, context) => {
    const plan = planOf(context, files);
    return "faults" in plan ? plan.faults : [];
  },
  "single-task": (files, context) => {
    const plan = planOf(context, files);
    if ("faults" in plan) return plan.faults;
    return plan.tasks.length === 1 ? [] : [`tasks.yaml has ${plan.tasks.length} tasks instead of one`];
  },
  report: (files, context) => judged(files, context, "report.md", () => []),
};

/** The plan of a session as it would be run, or what is wrong with it. */
export function planOf(
  { repository, config, session }: Planning,
  files: Pick<SessionFiles, "read">,
): LoadedPlan | { readonly faults: readonly string[] } {
  const name = sessionPath(session, copyName);
  const text = files.read(copyName);
  if (text === undefined) return { faults: [`there is no ${name}`] };
  const known = { agents: config.agents, taskTypes: config.task_types };
  const read = readPlan(name, text, { root: repository.root, known });
  return "plan" in read ? read.plan : { faults: read.faults.map(faultLine) };
}

function judged(
  { read }: SessionFiles,
  { session }: Planning,
  name: string,
  judge: (text: string) => readonly string[],
): readonly string[] {
  const text = read(name);
  if (text === undefined) return [`there is no ${sessionPath(session, name)}`];
  if (text.trim() === "") return [`${name} is empty`];
  if (hidden.test(text)) return [`${name} has control characters, which people would not see: take them out`];
  return judge(text);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const hidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

function below(
  { list }: SessionFiles,
  { session }: Planning,
  { folder, what }: { readonly folder: string; readonly what: string },
): readonly string[] {
  const has = list().some((name) => name.startsWith(folder));
  return has ? [] : [`there is no ${what} in ${sessionPath(session, folder)}`];
}
