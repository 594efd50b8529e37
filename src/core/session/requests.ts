import { field, isObject, isText } from "../values/fields.ts";

/** Only Lockstep maintains status.json and tasks.yaml. An agent's edit of them is a request, accepted or refused by key. */

interface Edit {
  /** The document before and after the agent's edit; undefined if it cannot be parsed. */
  readonly before: unknown;
  readonly after: unknown;
  readonly role: string;
}

export interface StatusEdit {
  readonly note: { readonly assumptions: readonly string[]; readonly knownIssues: readonly string[] };
  readonly refused: readonly string[];
}

/** Every role may add assumptions and known issues; Lockstep writes everything else (S4-063). */
export function judgeStatusEdit({ before, after, role }: Edit): StatusEdit {
  const none = { assumptions: [], knownIssues: [] };
  if (!isObject(after)) return { note: none, refused: ["status.json is no longer a JSON object"] };
  const assumptions = addedTo("assumptions", before, after);
  const issues = addedTo("known_issues", before, after);
  // Careful agents update `last_update`; the change is ignored, because Lockstep sets it.
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
      ...changed.map((key) => `${role} may not change \`${key}\` in status.json`),
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
      ...(old.every((one) => now.includes(one))
        ? []
        : [`entries of \`${name}\` in status.json may only be added, not removed`]),
      ...(added.every(isText) ? [] : [`\`${name}\` in status.json may contain only strings`]),
    ],
  };
}

export interface PlanEdit {
  /** Set if the agent reports that its own task is blocked. */
  readonly blocked: string | null;
  readonly refused: readonly string[];
}

/** The status changes that an agent may report (A4-11). */
const steps: Readonly<Record<string, readonly string[]>> = {
  "not-started": ["in-progress", "blocked"],
  "in-progress": ["implemented", "blocked"],
  implemented: ["completed", "in-progress", "blocked"],
  blocked: ["not-started", "in-progress"],
  completed: [],
};

/**
 * Statuses in a plan follow from the tasks. An agent may report the status of its own task, which has an effect only if
 * it is `blocked`. Only Planner may change the plan itself.
 */
export function judgePlanEdit({ before, after, role, task }: Edit & { readonly task: string }): PlanEdit {
  if (!isObject(after)) return { blocked: null, refused: ["tasks.yaml is no longer a plan"] };
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
      ...(isOtherwise && role !== "Planner" ? [`${role} may not change the plan in tasks.yaml`] : []),
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
  if (role === "Planner" && isNew) return [`${id} is ${to} in tasks.yaml: a new task must be not-started`];
  if (to === "completed") return [`${role} may not set ${id} to completed: that follows from its checks`];
  if (id !== task) return [`the agent of ${task} may not change the status of ${id}`];
  if (to !== "blocked" && role !== "Coder") return [`${role} may not set ${id} to ${to}`];
  return canLead(from, to) ? [] : [`${id} cannot change from ${from} to ${to}`];
}

/** In one or several steps: only the last status is visible. */
function canLead(from: string, to: string, tried: readonly string[] = []): boolean {
  const next = (Object.hasOwn(steps, from) ? steps[from] : undefined) ?? [];
  if (next.includes(to)) return true;
  // Only these statuses may be passed through; from the others only Lockstep moves a task on.
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

/** Ignores the order of keys. */
function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one, inOrder) === JSON.stringify(other, inOrder);
}

function inOrder(_key: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
