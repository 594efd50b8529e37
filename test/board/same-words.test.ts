import { expect, it } from "vitest";
import { needs } from "../../src/board/models/needs.ts";
import { overview } from "../../src/board/models/overview.ts";
import { taskList } from "../../src/board/models/task-rows.ts";
import { drawRun } from "../../src/cli/run-view/draw-run.ts";
import { taskGroups } from "../../src/view/task-groups.ts";
import { boardGround } from "../support/board-ground.ts";
import { fillShop } from "../support/shop-ledger.ts";

it("the board and the terminal show the same tasks and questions, with the same names and texts", async () => {
  await using ground = await boardGround();
  await fillShop(ground);
  const { place } = ground;
  const look = await place.looks.read();
  const { status, names } = look;
  const model = {
    ...{ name: null, last: new Map(), sinceMs: null, remark: null, notice: null, selected: null, keys: null },
    walls: null,
    budget: { tokens: null, costUsd: null },
  };
  const lines = drawRun(
    { ...model, tasks: status.tasks, decisions: status.decisions, nameOf: names.of },
    { columns: 400, rows: 400, now: Date.now() },
  );

  const { items, total } = await needs(place, look);
  const top = lines.slice(lines.indexOf("waiting for you") + 1);
  expect(total).toBeGreaterThan(11);
  expect(overview(place, look, "act").needs).toBe(total);
  const places = items.map(({ name, text }) =>
    top.findIndex((line) => line.trim().startsWith(name) && line.includes(text.split("\n")[0] ?? "")),
  );
  // All of them are listed, in the same order.
  expect(places.filter((at) => at === -1)).toEqual([]);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  for (const { commands } of items)
    for (const command of commands) expect(lines.join("\n")).toContain(command);

  const { rows, groups } = taskList(place, look, { from: 0, count: 100 });
  expect(rows).toHaveLength(status.tasks.length);
  for (const { name, word } of rows)
    expect(
      lines.some((line) => new RegExp(`^  ${name} +${word}\\b`).test(line)),
      `${name} ${word}`,
    ).toBe(true);
  // The groups are in the documented order, and most of them have a task.
  const order = taskGroups.map((group) => group.name);
  expect(groups.map((group) => group.name)).toEqual(
    order.filter((name) => groups.some((group) => group.name === name)),
  );
  expect(groups.length).toBeGreaterThan(7);
});
