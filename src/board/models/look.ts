import type { GroupName } from "../../contract/board.ts";
import type { Config } from "../../contract/config.ts";
import { compareNames } from "../../core/text/compare-names.ts";
import type { Engine } from "../../engine/change/engine.ts";
import { type Status, statusIn, type TaskStatus } from "../../engine/views/read-status.ts";
import { dataOf } from "../../ledger/event-data.ts";
import type { Survey } from "../../ledger/ledger.ts";
import { statusNames } from "../../view/status-names.ts";
import { groupOf, taskGroups } from "../../view/task-groups.ts";
import type { TaskNames } from "../../view/task-names.ts";
import type { Project } from "../../workspace/files/find-project.ts";
import { short } from "./bounded.ts";

/** Everything that the board's views are made from. */
export interface BoardPlace {
  /** The name of the project, for people. */
  readonly name: string;
  readonly engine: Engine;
  readonly project: Project;
  readonly config: Config;
  /** The engine and the configuration as they are now, for actions: the files may have changed. */
  current(): Promise<Pick<BoardPlace, "engine" | "config">>;
  /** The state folder. */
  readonly folder: string;
  /** The name of this machine. */
  readonly machine: string;
  readonly looks: Looks;
}

/** The ledger at one moment. */
export interface Look {
  /** The number of the last event. */
  readonly seq: number;
  readonly atMs: number;
  readonly survey: Survey;
  readonly status: Status;
  readonly names: TaskNames;
  readonly byKey: ReadonlyMap<string, TaskStatus>;
  /** When tasks were merged, of the newest merges. */
  readonly mergedAt: ReadonlyMap<string, string>;
  /** In the order of the board: by group, then by name. Abandoned sessions are left out. */
  readonly tasks: readonly { readonly task: TaskStatus; readonly group: GroupName }[];
}

/** The name of an attempt's machine. `id` is undefined if the ledger belongs to one machine. */
export function machineName(
  { machine }: Pick<BoardPlace, "machine">,
  { survey }: Pick<Look, "survey">,
  id: string | undefined,
): string {
  return id === undefined ? machine : short(survey.machines.find((one) => one.id === id)?.name ?? id, 40);
}

/** The name of the other machine that a task was last worked on; null if that is this one. */
export function elsewhereOf(place: BoardPlace, look: Look, task: string): string | null {
  const id = look.byKey.get(task)?.alive?.machine;
  return id === undefined || id === place.engine.machine ? null : machineName(place, look, id);
}

/** Processes end and leases lapse without a commit. */
const ageMsMax = 2000;
/** A large ledger is not read all the time: the pause is this many times the duration of a read. */
const readShare = 10;

/** Reads the ledger for all views and pages together, again only after it has changed. */
export class Looks {
  readonly #engine: Engine;
  #known: { readonly look: Look; readonly version: string; readonly tookMs: number } | undefined;
  #reading: Promise<Look> | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  read(): Promise<Look> {
    const known = this.#known;
    if (known !== undefined) {
      const ageMs = Date.now() - known.look.atMs;
      const isSame = known.version === this.#engine.ledger.version();
      if (isSame ? ageMs < Math.max(ageMsMax, known.tookMs * readShare) : ageMs < known.tookMs)
        return Promise.resolve(known.look);
    }
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Reads after a change that this process has made. */
  forget(): void {
    this.#known = undefined;
  }

  async #read(): Promise<Look> {
    const since = performance.now();
    const version = this.#engine.ledger.version();
    const [last] = await this.#engine.ledger.events({ newestFirst: true, limit: 1 });
    const survey = await this.#engine.ledger.survey();
    const status = statusIn(this.#engine, survey);
    const names = statusNames(status.tasks);
    const look: Look = {
      seq: last?.seq ?? 0,
      atMs: Date.now(),
      ...{ survey, status, names },
      byKey: new Map(status.tasks.map((task) => [task.key, task])),
      mergedAt: new Map(survey.events["task.merged"].map(({ task, at }) => [task ?? "", at])),
      tasks: ordered(status.tasks, names, await approvedTasks(this.#engine, status.tasks)),
    };
    this.#known = { look, version, tookMs: performance.now() - since };
    return look;
  }
}

function ordered(
  tasks: readonly TaskStatus[],
  names: TaskNames,
  approved: ReadonlySet<string>,
): Look["tasks"] {
  const ranks = new Map(taskGroups.map(({ name }, rank) => [name, rank]));
  return tasks
    .filter(({ archived }) => !archived)
    .map((task) => {
      const group = groupOf(task, approved);
      return { task, group, rank: ranks.get(group) ?? 0, name: names.of(task.key) };
    })
    .sort((one, other) => one.rank - other.rank || compareNames(one.name, other.name))
    .map(({ task, group }) => ({ task, group }));
}

/** Tasks in review whose newest review approves the work: they wait for their proof. */
async function approvedTasks({ ledger }: Engine, tasks: readonly TaskStatus[]): Promise<ReadonlySet<string>> {
  const reviewed = tasks.filter(({ state }) => state === "REVIEW").slice(0, reviewsMax);
  const approved = new Set<string>();
  for (const { key, started_at: started } of reviewed) {
    const [newest] = await ledger.events({ task: key, type: "task.reviewed", newestFirst: true, limit: 1 });
    if (newest === undefined || newest.at < (started ?? "")) continue;
    if (dataOf(newest, "task.reviewed")?.verdict === "approved") approved.add(key);
  }
  return approved;
}

const reviewsMax = 200;
