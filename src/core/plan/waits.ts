import { agentKey } from "../names/task-name.ts";
import { type Entry, isGlob } from "../paths/entry.ts";
import { PathIndex } from "../paths/path-index.ts";
import type { TaskState } from "../tasks/states.ts";
import { isIn, type Task } from "../tasks/task.ts";

/** What a task waits for. A task with none is being worked on, or is over. */
export type Wait =
  | {
      readonly on: "person";
      readonly why: "decision" | "escalated" | "stopped" | "reported" | "denied" | "taken";
      readonly decision: string | null;
    }
  | ({ readonly on: "dependency" } & Other)
  /** `resource`: what the other task holds. */
  | ({ readonly on: "lock"; readonly resource: string } & Other)
  /** Its agent is out of quota until then. */
  | { readonly on: "limit"; readonly agent: string; readonly until: string }
  /** As many tasks are at work as are allowed. */
  | { readonly on: "slot" };

interface Other {
  readonly task: string;
  /** Null for a task that is not known. */
  readonly state: TaskState | null;
  /** The other task waits for a person itself. */
  readonly waits_for_person: boolean;
}

export interface WaitFacts {
  readonly tasks: ReadonlyMap<string, Task>;
  /** The open decision about a task, or about an agent as `agent:NAME`. */
  readonly decisions: ReadonlyMap<string, string>;
  /** Tasks that a person works on. */
  readonly taken: ReadonlySet<string>;
  readonly held: HeldLocks;
  /** Agents that are out of quota, and until when. */
  readonly limits: ReadonlyMap<string, string>;
  /** Sessions of which a task is at work. */
  readonly busy: ReadonlySet<string>;
  /** What a task would lock. */
  scopeOf(task: Task): { readonly scope: readonly Entry[]; readonly uses: readonly string[] };
}

/** What a task waits for, what comes first alone: a task that depends on others does not wait for a lock yet. */
export function waitsOf(task: Task, facts: WaitFacts): readonly Wait[] {
  const person = personOf(task, facts);
  if (person !== undefined) return [person];
  const { key, state, hold } = task;
  if (state === "BLOCKED") return hold?.by == null ? [] : [blockedBy(task, hold.by, facts)];
  if (state !== "PENDING" && state !== "REJECTED") return [];
  const isMissing = (needed: string) => {
    const found = facts.tasks.get(needed);
    return found === undefined || !isIn(found);
  };
  const missing = state === "PENDING" ? task.dependsOn.filter(isMissing) : [];
  if (missing.length > 0) return missing.map((one) => ({ on: "dependency", ...otherOf(one, facts) }));
  // What was rejected still has its locks.
  const holders = state === "PENDING" ? facts.held.inTheWayOf(facts.scopeOf(task), key) : [];
  if (holders.length > 0)
    return holders.map(({ owner, text }) => ({ on: "lock", resource: text, ...otherOf(owner, facts) }));
  const until = facts.limits.get(task.agent ?? "");
  if (until !== undefined) return [{ on: "limit", agent: task.agent ?? "", until }];
  return facts.busy.has(task.session ?? "") ? [{ on: "slot" }] : [];
}

/** An open decision holds up everything but an agent that is at work: it goes on meanwhile. */
function personOf(task: Task, facts: WaitFacts): Wait | undefined {
  const { key, state, hold } = task;
  const wait = (why: "escalated" | "stopped" | "reported" | "denied" | "taken") =>
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

/** The locks that are held, and whose they are. */
export class HeldLocks {
  readonly #paths = new PathIndex();
  /** Locked paths and the folders above them, as long as no lock is a glob: most tasks wait for none of them. */
  readonly #plain = { locked: new Set<string>(), above: new Set<string>(), isAll: true };
  readonly #users = new Map<string, Set<string>>();
  readonly #counts: Readonly<Record<string, number>>;

  /** `counts`: how many tasks may use a resource at once; one where nothing is said. */
  constructor(locks: readonly HeldLock[], counts: Readonly<Record<string, number>>) {
    this.#counts = counts;
    for (const { task, kind, resource, entry } of locks)
      if (kind === "path") this.#lock(task, entry);
      else this.#users.set(resource, (this.#users.get(resource) ?? new Set()).add(task));
  }

  /** A lock of each task that keeps another one from starting. */
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

  /** Certainly: what is not plain has to be looked up. */
  #isFree(entry: Entry): boolean {
    const { locked, above, isAll } = this.#plain;
    if (!isAll || isGlob(entry)) return false;
    return entry.shapes.every(({ segments }) => {
      const path = segments.map(String).join("/");
      return !above.has(path) && !locked.has(path) && !foldersAbove(path).some((one) => locked.has(one));
    });
  }
}

/** Up to the whole project, which is "". */
function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  for (let end = path.lastIndexOf("/"); end >= 0; end = path.lastIndexOf("/", end - 1)) {
    folders.push(path.slice(0, end));
    if (end === 0) break;
  }
  return path === "" ? folders : [...folders, ""];
}

/** The name of what is waited for: a task, a decision, `agent:NAME`, `slot` or `person`. */
export function nameOfWait(wait: Wait): string {
  if ("task" in wait) return wait.task;
  if (wait.on === "limit") return agentKey(wait.agent);
  return wait.on === "person" ? (wait.decision ?? "person") : wait.on;
}
