import { field, isObject, isText } from "../values/fields.ts";

/** What agents write into the two files that only Lockstep keeps is a wish, which is granted or refused by name. */

interface Edit {
  /** As it was given to the agent, and as the agent left it; undefined where it is no document. */
  readonly before: unknown;
  readonly after: unknown;
  readonly role: string;
}

export interface StatusEdit {
  readonly note: { readonly assumptions: readonly string[]; readonly knownIssues: readonly string[] };
  readonly refused: readonly string[];
}

/** S4-063: everybody may add what they assume and what they found; all else follows from what happens. */
export function judgeStatusEdit({ before, after, role }: Edit): StatusEdit {
  const none = { assumptions: [], knownIssues: [] };
  if (!isObject(after)) return { note: none, refused: ["status.json is no JSON object any more"] };
  const assumptions = addedTo("assumptions", before, after);
  const issues = addedTo("known_issues", before, after);
  // When it was changed is Lockstep's to say, and every careful agent writes it.
  const own = ["assumptions", "known_issues", "last_update"];
  const keys = new Set([...(isObject(before) ? Object.keys(before) : []), ...Object.keys(after)]);
  const changed = [...keys].filter(
    (key) => !own.includes(key) && !isEqual(field(before, key), field(after, key)),
  );
  return {
    note: { assumptions: assumptions.added, knownIssues: issues.added },
    refused: [
      ...assumptions.refused,
      ...issues.refused,
      ...changed.map((key) => `\`${key}\` of status.json is not for ${role} to change`),
    ],
  };
}

function addedTo(name: string, before: unknown, after: unknown) {
  const list = (of: unknown): readonly unknown[] => {
    const found = field(of, name);
    return Array.isArray(found) ? found : [];
  };
  const [old, now] = [list(before), list(after)];
  const added = now.filter((one) => !old.includes(one));
  return {
    added: [...new Set(added.filter(isText).map((text) => text.trim()))],
    refused: [
      ...(old.every((one) => now.includes(one)) ? [] : [`\`${name}\` of status.json is only added to`]),
      ...(added.every(isText) ? [] : [`\`${name}\` of status.json holds texts alone`]),
    ],
  };
}

export interface PlanEdit {
  /** Set where the agent says that its own task is blocked. */
  readonly blocked: string | null;
  readonly refused: readonly string[];
}

/** A4-11: where a status may lead, and who may say so beside Lockstep itself. */
const steps: Readonly<Record<string, readonly string[]>> = {
  "not-started": ["in-progress", "blocked"],
  "in-progress": ["implemented", "blocked"],
  implemented: ["completed", "in-progress", "blocked"],
  blocked: ["not-started", "in-progress"],
  completed: [],
};

/**
 * Statuses in a plan follow from what happens to the tasks. An agent may say what it does with its own, which
 * changes nothing unless it is blocked; the plan itself is Planner's.
 */
export function judgePlanEdit({ before, after, role, task }: Edit & { readonly task: string }): PlanEdit {
  if (!isObject(after)) return { blocked: null, refused: ["tasks.yaml is no plan any more"] };
  const [old, now] = [tasksOf(before), tasksOf(after)];
  const changes = [...now].flatMap(([id, one]) => {
    const from = statusOf(old.get(id));
    return from === statusOf(one) ? [] : [{ id, from, to: statusOf(one) }];
  });
  const refused = changes.flatMap((change) => refusalOf(change, { role, task, isNew: !old.has(change.id) }));
  const isOtherwise = !isEqual(withoutStatuses(before), withoutStatuses(after));
  const isBlocked = changes.some(({ id, to }) => id === task && to === "blocked");
  return {
    blocked: isBlocked ? `${role} says in tasks.yaml that ${task} is blocked` : null,
    refused: [
      ...refused,
      ...(isOtherwise && role !== "Planner" ? [`the plan in tasks.yaml is not for ${role} to change`] : []),
    ],
  };
}

interface StatusChange {
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

function refusalOf(
  { id, from, to }: StatusChange,
  { role, task, isNew }: { readonly role: string; readonly task: string; readonly isNew: boolean },
): readonly string[] {
  if (role === "Planner" && isNew) return [`${id} is ${to} in tasks.yaml: a task begins as not-started`];
  if (to === "completed")
    return [`${role} may not say that ${id} is completed: that follows from its checks`];
  if (id !== task) return [`the status of ${id} is not for whoever does ${task} to change`];
  if (to !== "blocked" && role !== "Coder") return [`${role} may not say that ${id} is ${to}`];
  return canLead(from, to) ? [] : [`${id} does not go from ${from} to ${to}`];
}

/** In one step or in several: only the last one is seen. */
function canLead(from: string, to: string, tried: readonly string[] = []): boolean {
  const next = (Object.hasOwn(steps, from) ? steps[from] : undefined) ?? [];
  if (next.includes(to)) return true;
  // Only Lockstep takes a task from there.
  const own = ["in-progress", "implemented"];
  return next.some((one) => own.includes(one) && !tried.includes(one) && canLead(one, to, [...tried, one]));
}

function tasksOf(plan: unknown): ReadonlyMap<string, unknown> {
  const tasks = field(plan, "tasks");
  const list: readonly unknown[] = Array.isArray(tasks) ? tasks : [];
  return new Map(list.map((task) => [String(field(task, "id")), task]));
}

function statusOf(task: unknown): string {
  return String(field(task, "status") ?? "not-started");
}

function withoutStatuses(plan: unknown): unknown {
  if (!isObject(plan) || !Array.isArray(plan.tasks)) return plan;
  const tasks = plan.tasks.map((task: unknown) => (isObject(task) ? { ...task, status: null } : task));
  return { ...plan, tasks };
}

/** Whatever the order of keys. */
function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one, inOrder) === JSON.stringify(other, inOrder);
}

function inOrder(_key: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
