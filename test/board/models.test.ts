import { afterAll, beforeAll, expect, it } from "vitest";
import { readView } from "../../src/board/serve/views.ts";
import type {
  Cost,
  GuardView,
  Landed,
  Locks,
  TaskList,
  TaskPage,
  Timeline,
} from "../../src/contract/board.ts";
import { deny } from "../../src/core/rules/verdict.ts";
import { refuseLanding } from "../../src/engine/landing/finish-landing.ts";
import { type BoardGround, boardGround } from "../support/board-ground.ts";
import { runner } from "../support/memory-engine.ts";
import { keyOf, shop, shopLedger } from "../support/shop-ledger.ts";

let ground: BoardGround;

/** T-1 is merged, then T-2 needs it and is rejected once; T-3 runs meanwhile. */
beforeAll(async () => {
  ground = await boardGround();
  const { add, start, work, submit, land, sleep } = shopLedger(ground);
  await add("T-1", { title: "First", scope: ["src/one.js"] });
  await add("T-2", { title: "Second", scope: ["src/two.js"], needs: ["T-1"] });
  await add("T-3", { title: "Beside them", scope: ["src/three.js"] });
  await start("T-1", 900, 0.01);
  work("T-1", { "src/one.js": "1\n" });
  await submit("T-1");
  await start("T-3", 100, 0.9);
  await land([{ id: "T-1" }]);
  sleep(1);
  await start("T-2");
  work("T-2", { "src/two.js": "2\n" });
  await submit("T-2");
  const refused = deny("R-PC-002", "`node --test` fails on the merged tree", {});
  await refuseLanding(ground.engine, { branch: "lockstep/T-2", task: keyOf("T-2"), refused }, runner);
  await start("T-2");
  sleep(5);
});
afterAll(() => ground[Symbol.asyncDispose]());

async function view<Document>(name: string, query: Readonly<Record<string, string>> = {}): Promise<Document> {
  const document = await readView(ground.place, { name, query: new URLSearchParams(query), may: "act" });
  return document as Document;
}

it("the critical path consists of the tasks that each task waited for", async () => {
  const { bars, critical, lanes } = await view<Timeline>("timeline", { session: shop });
  expect(critical.map(({ name }) => name)).toEqual(["T-1", "T-2"]);
  const named = (isCritical: boolean) =>
    new Set(bars.filter((bar) => bar.isCritical === isCritical).map(({ name }) => name));
  expect([named(true), named(false)]).toEqual([new Set(["T-1", "T-2"]), new Set(["T-3"])]);
  expect(lanes).toEqual(["atlas, slot 1", "atlas, slot 2", "review 1"]);
});

it("a rejection counts once as a refusal, with its rule", async () => {
  const { total, rules, latest } = await view<GuardView>("guard");
  expect([total, rules.map(({ code }) => code)]).toEqual([1, ["R-PC-002"]]);
  expect(latest[0]).toMatchObject({ name: "T-2", reason: "`node --test` fails on the merged tree" });
});

it("locks are shown for a task's scope, not for its worklog", async () => {
  const { nodes, held, worklogs } = await view<Locks>("locks");
  expect(nodes.map(({ path }) => path)).toEqual(["src", "src/three.js", "src/two.js"]);
  expect([held, worklogs]).toEqual([2, 2]);
  const page = await view<TaskPage>("task", { task: keyOf("T-3") });
  expect(page.locks.map(({ resource }) => resource)).toEqual(["src/three.js"]);
});

it("cost is listed by task, and merges have the branch and the committer", async () => {
  const { tasks, seconds } = await view<Cost>("cost");
  const { rows } = await view<TaskList>("tasks");
  expect(seconds).toBe(rows.reduce((sum, row) => sum + (row.seconds ?? 0), 0));
  expect(tasks.map(({ name, title }) => [name, title])).toEqual([
    ["T-3", "Beside them"],
    ["T-1", "First"],
    ["T-2", "Second"],
  ]);
  const { base, items } = await view<Landed>("landed");
  expect(base).toBe("main");
  expect(items[0]).toMatchObject({ name: "T-1", isSigned: false, committer: "t" });
});
