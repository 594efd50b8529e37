import type { LockNode, Locks, NamedTask } from "../../contract/board.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Lock } from "../../ledger/ledger.ts";
import { fitting } from "./bounded.ts";
import type { BoardPlace, Look } from "./look.ts";
import { namedTask } from "./task-rows.ts";

/** A folder or file of the map. */
interface Folder {
  readonly children: Map<string, Folder>;
  readonly holders: Set<string>;
  readonly waiting: Set<string>;
}

/** The tree of locked paths with who holds each and who waits for it, and the named resources. */
export async function locks({ engine }: BoardPlace, look: Look): Promise<Locks> {
  const active = await engine.ledger.locks({ active: true });
  const tasks = new Map(look.survey.tasks.map((task) => [task.key, task]));
  const held = active.filter((lock) => !isWorklog(lock, tasks.get(lock.task)));
  const top = newFolder();
  const resources = new Map<string, Folder>();
  const at = (kind: string, name: string) =>
    kind === "path" ? folderAt(top, name) : resourceAt(resources, name);
  for (const { kind, resource, task } of held) at(kind, resource).holders.add(task);
  const kinds = new Map(held.map(({ resource, kind }) => [resource, kind]));
  for (const { key, waits } of look.status.tasks)
    for (const wait of waits)
      if (wait.on === "lock" && wait.resource !== "")
        at(kinds.get(wait.resource) ?? "path", wait.resource).waiting.add(key);
  const nodes = nodesIn(top, look);
  const shown = fitting(nodes, 40 * 1024);
  const named = [...resources].map(([name, folder]) =>
    nodeOf(folder, { path: name, label: name, depth: 0 }, look),
  );
  return {
    nodes: shown,
    resources: fitting(named, 8 * 1024),
    held: held.length,
    worklogs: active.length - held.length,
    hidden: nodes.length - shown.length,
  };
}

/** Every task has a lock on its own worklog, which nobody else wants. */
export function isWorklog({ resource }: Pick<Lock, "resource">, holder: Task | undefined): boolean {
  return resource === holder?.assignment?.worklog_path;
}

function newFolder(): Folder {
  return { children: new Map(), holders: new Set(), waiting: new Set() };
}

function folderAt(top: Folder, path: string): Folder {
  let folder = top;
  for (const part of path.split("/").filter((one) => one !== "" && one !== ".")) {
    const next = folder.children.get(part) ?? newFolder();
    folder.children.set(part, next);
    folder = next;
  }
  return folder;
}

function resourceAt(resources: Map<string, Folder>, name: string): Folder {
  const found = resources.get(name) ?? newFolder();
  resources.set(name, found);
  return found;
}

/** Folders without a lock of their own and with one child are drawn in one line with it. */
function nodesIn(top: Folder, look: Look): readonly LockNode[] {
  const nodes: LockNode[] = [];
  const walk = (folder: Folder, path: string, label: string, depth: number) => {
    const isBare = folder.holders.size + folder.waiting.size === 0;
    const [only, ...more] = folder.children;
    if (isBare && only !== undefined && more.length === 0) {
      const [name, child] = only;
      walk(child, join(path, name), join(label, name), depth);
      return;
    }
    if (path !== "" || !isBare)
      nodes.push(nodeOf(folder, { path, label: label || "the whole repository", depth }, look));
    const deeper = path === "" && isBare ? depth : depth + 1;
    for (const [name, child] of [...folder.children].sort(([one], [other]) => (one < other ? -1 : 1)))
      walk(child, join(path, name), name, deeper);
  };
  walk(top, "", "", 0);
  return nodes;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}/${name}`;
}

const namedMax = 12;

function nodeOf(
  { holders, waiting }: Folder,
  at: { readonly path: string; readonly label: string; readonly depth: number },
  look: Look,
): LockNode {
  const named = (keys: Set<string>): readonly NamedTask[] =>
    [...keys].slice(0, namedMax).map((key) => namedTask(look, key));
  return { ...at, holders: named(holders), waiting: named(waiting) };
}
