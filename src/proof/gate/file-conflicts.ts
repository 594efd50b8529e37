import { type GateFinding, type GateResult, gateResult } from "./gate-result.ts";

/** The files that one task of the batch changed. */
export interface Modifications {
  readonly task: string;
  readonly paths: readonly string[];
}

/** No file may be modified by more than one task (S1). The tasks are in the order in which they were declared. */
export function checkFileConflicts(batch: readonly Modifications[]): GateResult {
  const writers = new Map<string, Set<string>>();
  for (const { task, paths } of batch)
    for (const path of paths) writers.set(path, (writers.get(path) ?? new Set()).add(task));
  const order = [...new Set(batch.map(({ task }) => task))];
  const inOrder = (tasks: ReadonlySet<string>) => order.filter((task) => tasks.has(task));
  const findings: GateFinding[] = [];
  for (const [path, tasks] of writers) {
    const folder = foldersOf(path).find((above) => writers.has(above));
    const others = folder === undefined ? undefined : writers.get(folder);
    const all = new Set([...tasks, ...(others ?? [])]);
    if (all.size < 2) continue;
    const written = tasks.size > 1;
    const message = written
      ? `was modified by ${joined(inOrder(tasks))}`
      : `lies below \`${folder}\`, which ${joined(inOrder(others as ReadonlySet<string>))} modified as a file`;
    findings.push({ path, message, tasks: inOrder(written ? tasks : all) });
  }
  const note = `the changed files of ${order.length === 1 ? "one task" : `${order.length} tasks`} were compared: ${writers.size}`;
  return gateResult("file_conflict", findings, [note]);
}

function foldersOf(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

function joined(tasks: readonly string[]): string {
  return tasks.length < 2 ? tasks.join() : `${tasks.slice(0, -1).join(", ")} and ${tasks.at(-1)}`;
}
