import { copyName, sessionPath } from "../../core/names/session-paths.ts";
import { judgeArchitecture, judgeSpec } from "../../core/session/artifacts/judge-artifacts.ts";
import { readAcceptance } from "../../core/session/artifacts/read-acceptance.ts";
import type { Condition } from "../../core/session/conditions.ts";
import type { RunContext } from "../../run/attempt/run-context.ts";
import { faultLine } from "../../workspace/config/config-fault.ts";
import { type LoadedPlan, readPlan } from "../../workspace/plan/load-plan.ts";

/** The files of a session, as stored or with pending changes. */
export interface SessionFiles {
  read(name: string): string | undefined;
  list(): readonly string[];
}

type Planning = Pick<RunContext, "repository" | "config" | "session">;

/** Conditions on the content of the session's files. */
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

/** Finds faults; none if all conditions hold. */
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
  "research-report": (files, context) => below(files, context, { folder: "research/", kind: "report" }),
  "design-spec": (files, context) => below(files, context, { folder: "design-specs/", kind: "design-spec" }),
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

/** The plan of a session as it would run, or its faults. */
export function planOf(
  { repository, config, session }: Planning,
  files: Pick<SessionFiles, "read">,
): LoadedPlan | { readonly faults: readonly string[] } {
  const name = sessionPath(session, copyName);
  const text = files.read(copyName);
  if (text === undefined) return { faults: [`${name} is missing`] };
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
  if (text === undefined) return [`${sessionPath(session, name)} is missing`];
  if (text.trim() === "") return [`${name} is empty`];
  if (hidden.test(text)) return [`${name} has invisible control characters: remove them`];
  return judge(text);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const hidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

function below(
  { list }: SessionFiles,
  { session }: Planning,
  { folder, kind }: { readonly folder: string; readonly kind: string },
): readonly string[] {
  const has = list().some((name) => name.startsWith(folder));
  return has ? [] : [`there is no ${kind} in ${sessionPath(session, folder)}`];
}
