import { agentKey } from "../names/task-name.ts";
import { type Entry, isGlob } from "../paths/entry.ts";
import { PathIndex } from "../paths/path-index.ts";
import type { TaskState } from "../tasks/states.ts";
import { isIn, type Task } from "../tasks/task.ts";

export type PersonWait = "decision" | "escalated" | "stopped" | "reported" | "denied" | "taken";

/** What a task waits for. A task without waits is in progress or finished. */
export type Wait =
  | {
      readonly on: "person";
      readonly why: PersonWait;
      readonly decision: string | null;
    }
  | ({ readonly on: "dependency" } & Other)
  /** `resource`: the lock of the other task. */
  | ({ readonly on: "lock"; readonly resource: string } & Other)
  /** Its agent has no quota until that time. */
  | { readonly on: "limit"; readonly agent: string; readonly until: string }
  /** No living machine can do it, or none reviews and lands it. */
  | { readonly on: "machine"; readonly why: string }
  /** The maximum number of tasks is running. */
  | { readonly on: "slot" };

interface Other {
  readonly task: string;
  /** Null if the task is unknown. */
  readonly state: TaskState | null;
  /** True if the other task itself waits for a person. */
  readonly waits_for_person: boolean;
}

export interface WaitFacts {
  readonly tasks: ReadonlyMap<string, Task>;
  /** The open decision about a task, or about an agent as `agent:NAME`. */
  readonly decisions: ReadonlyMap<string, string>;
  /** Tasks that a person is working on. */
  readonly taken: ReadonlySet<string>;
  readonly held: HeldLocks;
  /** Agents without quota, and until when. */
  readonly limits: ReadonlyMap<string, string>;
  /** Sessions with a running task. */
  readonly busy: ReadonlySet<string>;
  /** Why no machine moves the task on; absent if the ledger belongs to one machine. */
  whyNoMachine?(task: Task): string | undefined;
  /** The paths and resources that a task would lock. */
  scopeOf(task: Task): { readonly scope: readonly Entry[]; readonly uses: readonly string[] };
}

/** The first kind of wait only: a task with open dependencies does not wait for a lock yet. */
export function waitsOf(task: Task, facts: WaitFacts): readonly Wait[] {
  const person = personOf(task, facts);
  if (person !== undefined) return [person];
  const { key, state, hold } = task;
  if (state === "BLOCKED") return hold?.by == null ? [] : [blockedBy(task, hold.by, facts)];
  if (state === "REVIEW") return noMachine(task, facts);
  if (state !== "PENDING" && state !== "REJECTED") return [];
  const isMissing = (needed: string) => {
    const found = facts.tasks.get(needed);
    return found === undefined || !isIn(found);
  };
  const missing = state === "PENDING" ? task.dependsOn.filter(isMissing) : [];
  if (missing.length > 0) return missing.map((one) => ({ on: "dependency", ...otherOf(one, facts) }));
  // A rejected task still holds its locks.
  const holders = state === "PENDING" ? facts.held.inTheWayOf(facts.scopeOf(task), key) : [];
  if (holders.length > 0)
    return holders.map(({ owner, text }) => ({ on: "lock", resource: text, ...otherOf(owner, facts) }));
  const until = facts.limits.get(task.agent ?? "");
  if (until !== undefined) return [{ on: "limit", agent: task.agent ?? "", until }];
  const unplaced = noMachine(task, facts);
  if (unplaced.length > 0) return unplaced;
  return facts.busy.has(task.session ?? "") ? [{ on: "slot" }] : [];
}

function noMachine(task: Task, facts: WaitFacts): readonly Wait[] {
  const why = facts.whyNoMachine?.(task);
  return why === undefined ? [] : [{ on: "machine", why }];
}

/** An open decision blocks a task unless its agent is running: the agent continues. */
function personOf(task: Task, facts: WaitFacts): Wait | undefined {
  const { key, state, hold } = task;
  const wait = (why: Exclude<PersonWait, "decision">) =>
    ({ on: "person", why, decision: facts.decisions.get(key) ?? null }) as const;
  if (state === "MERGED" || state === "FAILED") return undefined;
  if (facts.taken.has(key)) return wait("taken");
  if (state === "IN_PROGRESS") return undefined;
  if (state === "ESCALATED") return wait("escalated");
  const login = state === "PENDING" || state === "REJECTED" ? agentKey(task.agent) : key;
  const decision = facts.decisions.get(key) ?? facts.decisions.get(login);
  if (decision !== undefined) return { on: "person", why: "decision", decision };
  if (state !== "BLOCKED" || hold === null) return undefined;
  if (hold.kind === "stopped" || hold.kind === "reported") return wait(hold.kind);
  return hold.kind === "deny" && task.counters.block_retries > 0 ? wait("denied") : undefined;
}

function blockedBy({ key, hold, ...task }: Task, by: string, facts: WaitFacts): Wait {
  if (hold?.kind !== "lock") return { on: "dependency", ...otherOf(by, facts) };
  const named = facts.held.inTheWayOf(facts.scopeOf({ key, hold, ...task }), key);
  const resource = named.find(({ owner }) => owner === by)?.text ?? "";
  return { on: "lock", resource, ...otherOf(by, facts) };
}

function otherOf(key: string, facts: WaitFacts): Other {
  const found = facts.tasks.get(key);
  return {
    task: key,
    state: found?.state ?? null,
    waits_for_person: found !== undefined && personOf(found, facts) !== undefined,
  };
}

interface Holder {
  readonly owner: string;
  readonly text: string;
}

interface HeldLock {
  readonly task: string;
  readonly kind: "path" | "resource";
  readonly resource: string;
  readonly entry: Entry;
}

/** The held locks and their owners. */
export class HeldLocks {
  readonly #paths = new PathIndex();
  /** Locked paths and the folders above them: a fast check while no lock is a glob. */
  readonly #plain = { locked: new Set<string>(), above: new Set<string>(), isAll: true };
  readonly #users = new Map<string, Set<string>>();
  readonly #counts: Readonly<Record<string, number>>;

  /** `counts`: how many tasks may use a resource at once; the default is one. */
  constructor(locks: readonly HeldLock[], counts: Readonly<Record<string, number>>) {
    this.#counts = counts;
    for (const { task, kind, resource, entry } of locks)
      if (kind === "path") this.#lock(task, entry);
      else this.#users.set(resource, (this.#users.get(resource) ?? new Set()).add(task));
  }

  /** For each task that blocks the given one, one of its locks. */
  inTheWayOf(
    { scope, uses }: { readonly scope: readonly Entry[]; readonly uses: readonly string[] },
    key: string,
  ): readonly Holder[] {
    const holders = new Map<string, Holder>();
    for (const entry of scope) {
      if (this.#isFree(entry)) continue;
      const held = this.#paths.overlapping(entry, key);
      if (held !== undefined && !holders.has(held.owner)) holders.set(held.owner, held);
    }
    for (const resource of uses) {
      const users = [...(this.#users.get(resource) ?? [])].filter((user) => user !== key);
      const max = Object.hasOwn(this.#counts, resource) ? (this.#counts[resource] ?? 1) : 1;
      if (users.length < max) continue;
      for (const owner of users) if (!holders.has(owner)) holders.set(owner, { owner, text: resource });
    }
    return [...holders.values()];
  }

  #lock(task: string, entry: Entry): void {
    this.#paths.add(task, entry);
    if (isGlob(entry)) this.#plain.isAll = false;
    for (const { segments } of entry.shapes) {
      const path = segments.map(String).join("/");
      this.#plain.locked.add(path);
      for (const folder of foldersAbove(path)) this.#plain.above.add(folder);
    }
  }

  /** True only if certain: globs need the full lookup. */
  #isFree(entry: Entry): boolean {
    const { locked, above, isAll } = this.#plain;
    if (!isAll || isGlob(entry)) return false;
    return entry.shapes.every(({ segments }) => {
      const path = segments.map(String).join("/");
      return !above.has(path) && !locked.has(path) && !foldersAbove(path).some((one) => locked.has(one));
    });
  }
}

/** Up to the project root, which is "". */
function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  for (let end = path.lastIndexOf("/"); end >= 0; end = path.lastIndexOf("/", end - 1)) {
    folders.push(path.slice(0, end));
    if (end === 0) break;
  }
  return path === "" ? folders : [...folders, ""];
}

/** The name of a wait: a task, a decision, `agent:NAME`, `slot` or `person`. */
export function nameOfWait(wait: Wait): string {
  if ("task" in wait) return wait.task;
  if (wait.on === "limit") return agentKey(wait.agent);
  return wait.on === "person" ? (wait.decision ?? "person") : wait.on;
}
