import { isAbsolute, relative, resolve } from "node:path";
import { type Plan, type PlanTask, planSchema } from "../../contract/plan.ts";
import type { KnownAgents } from "../../core/plan/agents-for-task.ts";
import { readConfigDocument } from "../config/config-document.ts";
import { type ConfigFault, wholeFileFault } from "../config/config-fault.ts";
import { spotAt } from "../config/config-issues.ts";
import { judgeDocument } from "../config/judge-document.ts";
import { readNamedFile } from "../config/read-config-file.ts";
import { nodeDisk } from "../files/disk.ts";
import { findProject } from "../files/find-project.ts";
import { issuesOfPlan } from "./plan-issues.ts";
import { sessionOfCopy } from "./session-folder.ts";

const planBytesMax = 8 * 1024 * 1024;
const titleLengthMax = 100;

/** A plan in which every task has a title. */
export interface LoadedPlan extends Omit<Plan, "tasks"> {
  readonly tasks: readonly (PlanTask & { readonly title: string })[];
}

export type LoadPlanResult =
  | { readonly plan: LoadedPlan }
  | { readonly code: "E-PLAN"; readonly faults: readonly ConfigFault[] };

/** The checked plan; or all its faults, in the order of its lines. */
export function loadPlan(file: string, root: string, known: KnownAgents): LoadPlanResult {
  const path = resolve(root, file);
  const name = shownName(path, root);
  const read = readNamedFile(path, { file: name, bytesMax: planBytesMax });
  if (read === undefined)
    return refused([wholeFileFault(name, "this file does not exist", "a plan, such as `tasks.yaml`")]);
  return "fault" in read ? refused([read.fault]) : readPlan(name, read.text, { root, known });
}

/** Reads the text of a plan; `name` is its file's name. */
export function readPlan(
  name: string,
  text: string,
  { root, known }: { readonly root: string; readonly known: KnownAgents },
): LoadPlanResult {
  const document = readConfigDocument(name, text);
  if (!("value" in document)) return refused(document);
  const issues = issuesOfPlan(document.value, {
    ...known,
    place: findProject(root).place,
    disk: nodeDisk(),
    session: sessionOfCopy(name),
    lineOf: (at) => document.lineAndColumn(spotAt(document.root, at).value).line,
  });
  const judged = judgeDocument(document, planSchema, issues);
  if ("faults" in judged) return refused(judged.faults);
  const tasks = judged.data.tasks.map(({ id, status, title, ...rest }) => ({
    id,
    status,
    title: title ?? titleOf(rest.goal),
    ...rest,
  }));
  return { plan: { ...judged.data, tasks } };
}

function refused(faults: readonly ConfigFault[]): LoadPlanResult {
  return { code: "E-PLAN", faults };
}

/** Relative to the project's root if the file is in the project. */
function shownName(path: string, root: string): string {
  const below = relative(root, path);
  return below.startsWith("..") || isAbsolute(below) ? path : below;
}

function titleOf(goal: string): string {
  const first = (goal.trim().split(/\r?\n/, 1)[0] ?? "").replace(/\s+/g, " ");
  return first.length <= titleLengthMax ? first : `${first.slice(0, titleLengthMax - 1)}…`;
}
