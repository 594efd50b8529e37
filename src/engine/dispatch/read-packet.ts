import { readTaskName, type TaskName, taskKey } from "../../core/names/task-name.ts";
import { type Deny, type Details, deny } from "../../core/rules/verdict.ts";
import { type Assignment, readAssignment } from "../../core/tasks/assignment.ts";
import { field, isLine, isObject, isTextList } from "../../core/values/fields.ts";

/** An assignment packet, including fields that the rules of PreDispatch do not check. */
export interface Packet {
  readonly name: TaskName;
  readonly document: Details;
  readonly assignment: Assignment;
  readonly title: string | null;
  /** Undefined if the packet does not set it. */
  readonly type: string | undefined;
  readonly agent: string;
  readonly model: string | null;
  /** Undefined if the packet does not set it; the task keeps its dependencies. */
  readonly dependsOn: readonly string[] | undefined;
  readonly uses: readonly string[];
  readonly contextRevision: number | null;
  /** Unchecked: only a dispatch checks its form. */
  readonly delegatedBy: unknown;
}

const usesMax = 100;
const dependenciesMax = 1000;

/** The name of an agent that the packet does not name. */
export const unnamedAgent = "agent";

export function readPacket(document: unknown): Packet | Deny {
  if (!isObject(document)) return wrong("the packet", "one JSON object with `task_id` and `assignment`");
  const taskId = field(document, "task_id");
  if (!isLine(taskId))
    return deny("R-PD-001", "`task_id` is missing or has the wrong form: give a task id such as `T-001`", {
      field: "task_id",
    });
  const name = readTaskName(taskId);
  if ("allow" in name) return name;
  const assignment = field(document, "assignment");
  const named = (key: string) => field(document, key) ?? field(assignment, key);
  for (const key of ["title", "agent", "model"])
    if (named(key) !== undefined && !isLine(named(key))) return wrong(`\`${key}\``, "one line of text");
  const type = named("type") ?? undefined;
  if (type !== undefined && !isLine(type)) return wrong("`type`", "one line of text");
  const dependsOn = readDependencies(named("depends_on") ?? named("dependencies"), name);
  if (dependsOn !== undefined && "allow" in dependsOn) return dependsOn;
  const uses = named("uses") ?? [];
  if (!isTextList(uses) || uses.length > usesMax || !uses.every((use) => isLine(use) && use.isWellFormed()))
    return wrong("`uses`", "a list of names of resources");
  const revision = named("context_revision") ?? null;
  if (revision !== null && !Number.isSafeInteger(revision))
    return wrong("`context_revision`", "a whole number");
  return {
    name,
    document,
    assignment: readAssignment(assignment),
    title: (named("title") ?? null) as string | null,
    type,
    agent: (named("agent") ?? unnamedAgent) as string,
    model: (named("model") ?? null) as string | null,
    dependsOn: dependsOn?.keys,
    uses: [...new Set(uses.map((use) => use.trim()))],
    contextRevision: revision as number | null,
    delegatedBy: named("delegated_by"),
  };
}

function readDependencies(value: unknown, { key, session }: TaskName): { keys: string[] } | Deny | undefined {
  if (value === undefined) return undefined;
  const ids = Array.isArray(value) ? value.map((one) => (isObject(one) ? field(one, "task_id") : one)) : [];
  if (!Array.isArray(value) || !isTextList(ids) || ids.length > dependenciesMax)
    return wrong("`depends_on`", "a list of task ids");
  const keys: string[] = [];
  for (const id of ids) {
    const name = readTaskName(id.includes("/") ? id : taskKey(session, id));
    if ("allow" in name) return name;
    if (name.key === key) return wrong("`depends_on`", "other tasks: a task cannot wait for itself");
    keys.push(name.key);
  }
  return { keys: [...new Set(keys)] };
}

function wrong(name: string, expected: string): Deny {
  return deny("R-IN-001", `${name} has the wrong form: give ${expected}`);
}
