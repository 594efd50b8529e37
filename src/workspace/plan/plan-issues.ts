import { entriesOf } from "../../contract/config-parts.ts";
import { plannedIdForm } from "../../core/names/task-name.ts";
import type { Entry } from "../../core/paths/entry.ts";
import { PathIndex } from "../../core/paths/path-index.ts";
import type { Disk, Place } from "../../core/paths/place.ts";
import { protectedShapeOf } from "../../core/paths/protected-paths.ts";
import { readEntries } from "../../core/paths/scope.ts";
import { agentsForTask, type KnownAgents } from "../../core/plan/agents-for-task.ts";
import { findCycles } from "../../core/plan/dependency-cycles.ts";
import { containerOf } from "../../core/points/forbidden-container.ts";
import { quoted } from "../../core/text/quoted.ts";
import { field } from "../../core/values/fields.ts";
import type { Path } from "../config/config-document.ts";
import type { Issue } from "../config/config-issues.ts";

const namesShownMax = 12;
const circleShownMax = 12;

export interface PlanWorld extends KnownAgents {
  readonly place: Place;
  readonly disk: Disk;
  /** The plan's session; undefined if it has none yet. */
  readonly session: string | undefined;
  lineOf(path: Path): number;
}

/** A task as written in the file. It may not fit the schema; what does not fit is skipped here. */
interface Written {
  readonly at: Path;
  readonly task: unknown;
  readonly id: string | undefined;
}

/** Issues of a plan that the schema does not find: duplicate ids, dependencies, names and paths. */
export function issuesOfPlan(value: unknown, world: PlanWorld): readonly Issue[] {
  const listed = field(value, "tasks");
  const tasks = (Array.isArray(listed) ? listed : []).map((task, index) => ({
    at: ["tasks", index],
    task,
    id: textOf(field(task, "id")),
  }));
  const scopes = new ScopeReader(world);
  return [
    ...duplicateIds(tasks, world),
    ...wrongDependencies(tasks),
    ...tasks.flatMap((task) => [...wrongNames(task, world), ...scopes.wrongIn(task)]),
  ];
}

function issue(path: Path, message: string, names: readonly string[] = []): Issue {
  return { code: "custom", path: [...path], message, params: { names }, input: undefined };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The texts in a list, each with its index. */
function textsOf(value: unknown): readonly (readonly [number, string])[] {
  if (!Array.isArray(value)) return [];
  return [...value.entries()].filter((pair): pair is [number, string] => typeof pair[1] === "string");
}

function duplicateIds(tasks: readonly Written[], { lineOf }: PlanWorld): Issue[] {
  const first = new Map<string, { readonly id: string; readonly path: Path }>();
  return tasks.flatMap(({ id, at }) => {
    if (id === undefined) return [];
    const path = [...at, "id"];
    // Branches, refs and worklogs are files, and some file systems ignore case.
    const folded = id.toLowerCase();
    const other = first.get(folded);
    if (other !== undefined) {
      const same =
        other.id === id ? "has the same id" : `has the id ${quoted(other.id)}, and case is ignored`;
      return [issue(path, `a unique id: the task in line ${lineOf(other.path)} ${same}`)];
    }
    first.set(folded, { id, path });
    return [];
  });
}

function wrongDependencies(tasks: readonly Written[]): Issue[] {
  const byId = new Map(
    tasks.toReversed().flatMap((task) => (task.id === undefined ? [] : [[task.id, task]])),
  );
  const dependenciesOf = ({ task }: Written) => textsOf(field(task, "depends_on"));
  const ids = [...byId.keys()].reverse();
  // An id of the wrong form has its own fault, and is no help here.
  const known = ids.filter((id) => plannedIdForm.test(id));
  const expected =
    known.length === 0 ? "the id of a task of this plan" : `a task of this plan: ${shown(known)}`;
  const unknown = tasks.flatMap((task) =>
    dependenciesOf(task)
      .filter(([, id]) => !byId.has(id))
      .map(([index]) => issue([...task.at, "depends_on", index], expected, known)),
  );
  const circles = findCycles(
    new Map(ids.map((id) => [id, dependenciesOf(byId.get(id) as Written).map(([, one]) => one)])),
  );
  return [
    ...unknown,
    ...circles.map(({ task, dependency, way }) => {
      const written = byId.get(task) as Written;
      const index = dependenciesOf(written).find(([, id]) => id === dependency)?.[0] ?? 0;
      return issue([...written.at, "depends_on", index], `no circle: ${shownWay(way)}`);
    }),
  ];
}

/** Types that planners commonly use. They are accepted without a key in `task_types`, and then have no effect. */
const commitTypes = ["feat", "fix", "refactor", "chore", "test", "docs"];

function wrongNames({ at, task }: Written, world: PlanWorld): Issue[] {
  const type = textOf(field(task, "type")) ?? null;
  const types = entriesOf(world.taskTypes).map(([name]) => name);
  if (type !== null && !types.includes(type) && !commitTypes.includes(type))
    return [issue([...at, "type"], `a key of \`task_types\`: ${shown(types)}`, types)];
  const agent = textOf(field(task, "agent")) ?? null;
  const agents = Object.entries(world.agents);
  // Without configured agents, the agent is chosen when the run starts, which reports that there is none.
  if (agents.length === 0) return [];
  if (agentsForTask({ agent, type }, world).length > 0) return [];
  const allowed = agentsForTask({ agent: null, type }, world);
  const names = allowed.length > 0 && type !== null ? allowed : agents.map(([name]) => name);
  const roles = names.flatMap((name) => world.agents[name]?.role ?? []);
  const wanted = type === null ? "a configured agent or role" : `an agent that may do ${quoted(type)}`;
  const known = [...new Set([...names, ...roles])];
  return [issue([...at, "agent"], `${wanted}: ${shown(known)}`, known)];
}

/** Reads scopes, and each entry only once: many tasks of a plan share entries. */
class ScopeReader {
  readonly #world: PlanWorld;
  readonly #known = new Map<string, Entry | string>();

  constructor(world: PlanWorld) {
    this.#world = world;
  }

  wrongIn({ at, task }: Written): Issue[] {
    const issues: Issue[] = [];
    const read = (key: string) =>
      textsOf(field(task, key)).flatMap(([index, text]) => {
        const entry = this.#entry(text);
        const path = [...at, key, index];
        if (typeof entry !== "string") return [{ path, entry }];
        issues.push(issue(path, `a path or glob inside the project (${entry})`));
        return [];
      });
    const lock = read("lock_scope");
    for (const { path, entry } of lock) {
      const closed = this.#protected(entry);
      if (closed !== undefined)
        issues.push(issue(path, `a path outside ${quoted(closed)}, which no task may write`));
    }
    const forbidden = read("forbidden_scope");
    const wholeRepository = field(task, "lock_scope") === undefined ? [this.#entry(".") as Entry] : [];
    for (const { path, entry } of forbidden) {
      const index = new PathIndex();
      index.add("forbidden", entry);
      const covered = [...lock.map((one) => one.entry), ...wholeRepository].find(
        (one) => containerOf(one, index) !== undefined,
      );
      if (covered !== undefined)
        issues.push(issue(path, `a part of ${quoted(covered.text)} in \`lock_scope\`, and not all of it`));
    }
    return issues;
  }

  /** The protected path that contains the whole entry; undefined if a part of the entry is writable. */
  #protected({ shapes }: Entry): string | undefined {
    const { session = "", place } = this.#world;
    const found = shapes.map((shape) => protectedShapeOf(shape, { session, more: place.gitFolders }));
    return found.every((one) => one !== undefined) ? found[0] : undefined;
  }

  #entry(text: string): Entry | string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const result = readEntries([text], this.#world.place, this.#world.disk);
    const read = "entries" in result ? (result.entries[0] as Entry) : result.error;
    this.#known.set(text, read);
    return read;
  }
}

function shown(names: readonly string[]): string {
  if (names.length === 0) return "none exists";
  const more = names.length > namesShownMax ? `, … (${names.length})` : "";
  return (
    names
      .slice(0, namesShownMax)
      .map((name) => quoted(name, 60))
      .join(", ") + more
  );
}

function shownWay(way: readonly string[]): string {
  if (way.length <= circleShownMax) return way.join(" → ");
  return [...way.slice(0, circleShownMax - 2), "…", ...way.slice(-1)].join(" → ");
}
