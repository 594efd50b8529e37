import type { BoardRight } from "../../contract/board.ts";
import { cost } from "../models/cost.ts";
import { diffOf, diffPart } from "../models/diff.ts";
import { guardView } from "../models/guard.ts";
import { landed } from "../models/landed.ts";
import { locks } from "../models/locks.ts";
import type { BoardPlace } from "../models/look.ts";
import { needs } from "../models/needs.ts";
import { overview } from "../models/overview.ts";
import { planGraph } from "../models/plan-graph.ts";
import { history, taskPage } from "../models/task-page.ts";
import { taskList } from "../models/task-rows.ts";
import { documentPart, logPart, outputPart } from "../models/texts.ts";
import { timeline } from "../models/timeline.ts";

interface Asked {
  readonly name: string;
  readonly query: URLSearchParams;
  readonly may: BoardRight;
}

/** The document of one view; undefined if there is none at this address. */
export async function readView(place: BoardPlace, { name, query, may }: Asked): Promise<object | undefined> {
  const read = views[name];
  return Object.hasOwn(views, name) && read !== undefined ? read(place, query, may) : undefined;
}

type Read = (place: BoardPlace, query: URLSearchParams, may: BoardRight) => Promise<object | undefined>;

const views: Readonly<Record<string, Read>> = {
  overview: async (place, _query, may) => overview(place, await place.looks.read(), may),
  needs: async (place) => needs(place, await place.looks.read()),
  tasks: async (place, query) =>
    taskList(place, await place.looks.read(), {
      session: textIn(query, "session"),
      filter: textIn(query, "filter"),
      from: numberIn(query, "from") ?? 0,
      count: numberIn(query, "count") ?? 50,
    }),
  task: async (place, query) => taskPage(place, await place.looks.read(), textIn(query, "task") ?? ""),
  history: async (place, query) => history(place, textIn(query, "task") ?? "", numberIn(query, "before")),
  diff: async (place, query) => {
    const task = await place.engine.ledger.task(textIn(query, "task") ?? "");
    return task === undefined ? undefined : diffOf(place, await place.looks.read(), task);
  },
  "diff-part": async (place, query) => {
    const task = await place.engine.ledger.task(textIn(query, "task") ?? "");
    const [file = 0, from = 0] = [numberIn(query, "file"), numberIn(query, "from")];
    return task === undefined ? undefined : diffPart(place, task, { file, from });
  },
  log: async (place, query) => {
    const task = await place.engine.ledger.task(textIn(query, "task") ?? "");
    const [from, end] = [numberIn(query, "from"), numberIn(query, "end")];
    const range = { ...(from === undefined ? {} : { from }), ...(end === undefined ? {} : { end }) };
    return task === undefined ? undefined : logPart(place, task.key, range);
  },
  output: async (place, query) =>
    outputPart(place, {
      task: textIn(query, "task") ?? "",
      check: numberIn(query, "check") ?? 0,
      from: numberIn(query, "from") ?? 0,
    }),
  documents: async (place, query) => {
    const id = textIn(query, "id");
    const decision = (await place.engine.ledger.decisions()).find((one) => one.id === id);
    const range = { changes: query.get("changes") === "1", from: numberIn(query, "from") ?? 0 };
    return decision === undefined ? undefined : documentPart(place, decision, range);
  },
  timeline: async (place, query) => timeline(place, await place.looks.read(), textIn(query, "session")),
  locks: async (place) => locks(place, await place.looks.read()),
  landed: async (place, query) => landed(place, await place.looks.read(), numberIn(query, "before")),
  guard: async (place) => guardView(place, await place.looks.read()),
  cost: async (place, query) => cost(place, await place.looks.read(), textIn(query, "session")),
  plan: async (place, query) => planGraph(place, await place.looks.read(), textIn(query, "session")),
};

function textIn(query: URLSearchParams, name: string): string | undefined {
  const found = query.get(name);
  return found === null || found === "" ? undefined : found.slice(0, 300);
}

function numberIn(query: URLSearchParams, name: string): number | undefined {
  const found = query.get(name);
  return found !== null && /^\d{1,15}$/.test(found) ? Number(found) : undefined;
}
