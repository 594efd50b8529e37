import { locate } from "../paths/locate.ts";
import type { Finding, Rule } from "../rules/rule.ts";
import { shellWord, shortened } from "../text/quoted.ts";
import { field, isLine } from "../values/fields.ts";
import { findForbidden, findOutside, type WriteLimits, type WriteTarget } from "./judge-write.ts";
import type { Ports } from "./ports.ts";
import { problem, type Reading, rule, unreadable } from "./reading.ts";
import { readLimits, targetOf } from "./write-limits.ts";

export interface WriteFacts {
  readonly taskId: string;
  readonly targets: readonly WriteTarget[];
  readonly limits: WriteLimits;
}

export function factsOf(payload: unknown, ports: Pick<Ports, "place" | "disk">): Reading<WriteFacts> {
  const taskId = field(payload, "task_id");
  if (!isLine(taskId)) return problem("`task_id` is missing or not a one-line string", { field: "task_id" });
  const { place, disk } = ports;
  const read = readLimits(payload, { place, disk });
  if ("error" in read) return problem(read.error, { field: "assignment" });
  const writes = writesOf(payload);
  if ("error" in writes) return problem(writes.error, { field: writes.field });
  const targets = writes.list.map(({ resource, action }) => targetOf(resource, action, { place, disk }));
  return { facts: { taskId, targets, limits: read.limits } };
}

export const rules: readonly Rule<Reading<WriteFacts>>[] = [
  unreadable("R-IN-001"),
  rule("R-PW-002", ({ targets, limits }) => first(targets, (target) => findForbidden(target, limits))),
  rule("R-PW-001", (facts) => first(facts.targets, (target) => findUnlocked(target, facts))),
];

interface Write {
  readonly resource: string;
  readonly action: string;
}

function writesOf(payload: unknown): { list: readonly Write[] } | { error: string; field: string } {
  const write = field(payload, "write");
  const writes = field(payload, "writes") ?? [];
  if (!Array.isArray(writes)) return { error: "`writes` is not a list of writes", field: "writes" };
  const all = [
    ...(write === undefined ? [] : [{ at: "write", item: write }]),
    ...writes.map((item: unknown, index) => ({ at: `writes[${index}]`, item })),
  ];
  if (all.length === 0)
    return { error: "`write` is missing: give the `resource` and the `action`", field: "write" };
  const list: Write[] = [];
  for (const { at, item } of all) {
    const resource = field(item, "resource");
    const action = field(item, "action");
    if (!isLine(resource)) return unusable(`${at}.resource`);
    if (!isLine(action)) return unusable(`${at}.action`);
    list.push({ resource, action });
  }
  return { list };
}

function unusable(name: string) {
  return { error: `\`${name}\` is missing, blank or has control characters`, field: name };
}

function first<Item>(items: readonly Item[], find: (item: Item) => Finding | undefined): Finding | undefined {
  for (const item of items) {
    const finding = find(item);
    if (finding !== undefined) return finding;
  }
  return undefined;
}

function findUnlocked(target: WriteTarget, { taskId, limits }: WriteFacts): Finding | undefined {
  const finding = findOutside(target, limits);
  if (finding === undefined) return undefined;
  const path = finding.details?.path;
  const inside = locate(target.resource, limits.place).where === "inside";
  // Each part is shortened separately, so that the command is not cut off by the limit on the whole reason.
  const task = shellWord(shortened(taskId, 60));
  const asked = inside && isLine(path) && !path.startsWith("/") ? shellWord(shortened(path, 160)) : "PATH";
  const reason = `${shortened(finding.reason, 220)}: ask for it with \`lockstep widen ${task} ${asked} --why "…"\``;
  return { ...finding, reason };
}
