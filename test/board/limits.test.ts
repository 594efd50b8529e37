import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { harmlessJson } from "../../src/board/models/bounded.ts";
import { readView } from "../../src/board/serve/views.ts";
import { messageBytesMax } from "../../src/contract/board.ts";
import { askManual } from "../../src/engine/decisions/ask-manual.ts";
import { askSecurity } from "../../src/engine/decisions/ask-security.ts";
import { askSession } from "../../src/engine/decisions/ask-session.ts";
import { openSession } from "../../src/engine/sessions/open-session.ts";
import { taskLogFile } from "../../src/run/landing/work/task-logs.ts";
import { keepOutput } from "../../src/workspace/state/check-outputs.ts";
import { hasBrowser, openBrowser, openPage } from "../support/board-browser.ts";
import { type BoardGround, boardGround } from "../support/board-ground.ts";
import { addManyTasks } from "../support/many-tasks.ts";
import { runner } from "../support/memory-engine.ts";
import { eventually } from "../support/run-command.ts";
import { keyOf, shopLedger } from "../support/shop-ledger.ts";

const many = "2026-02-14_many";
const names = [
  "overview",
  "needs",
  "tasks",
  "task",
  "history",
  "diff",
  "diff-part",
  "log",
  "output",
  "documents",
  "timeline",
  "locks",
  "landed",
  "guard",
  "cost",
  "plan",
];

/** The messages of the server for every view. */
async function sizesOf(
  ground: BoardGround,
  query: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, number>>> {
  const sizes: Record<string, number> = {};
  for (const name of names) {
    const document = await readView(ground.place, {
      name,
      query: new URLSearchParams({ count: "100", ...query }),
      may: "act",
    });
    if (document !== undefined) sizes[name] = Buffer.byteLength(harmlessJson(document, { coloured: true }));
  }
  return sizes;
}

describe.skipIf(!hasBrowser)("the board", { timeout: 120_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  it("shows 10,000 tasks with at most 200 rows in the page and no message over 64 KB, and receives changes", async () => {
    await using ground = await boardGround();
    await addManyTasks(ground.engine.ledger, { session: many, count: 10_000 });
    for (const [name, bytes] of Object.entries(await sizesOf(ground, { task: `${many}/T-7` })))
      expect(bytes, name).toBeLessThanOrEqual(messageBytesMax);
    await using open = await openPage(browser, ground.link("/tasks"));
    const { page } = open;
    const answers: number[] = [];
    page.on(
      "response",
      async (response) =>
        response.url().includes("/api/") &&
        !response.url().includes("stream") &&
        answers.push((await response.body().catch(() => Buffer.alloc(0))).length),
    );
    await page.locator(".row .name").first().waitFor();
    let most = 0;
    const rows = async () => {
      const count = await page.locator(".row-place").count();
      most = Math.max(most, count);
      return count;
    };
    const height = Number(await page.evaluate("document.documentElement.scrollHeight"));
    expect(height).toBeGreaterThan(10_000 * 50);
    for (const share of [0.1, 0.35, 0.6, 0.8, 1]) {
      await page.evaluate(`scrollTo(0, ${Math.round(height * share)})`);
      await eventually(`rows at ${share}`, async () =>
        (await page.locator(".row.waiting").count()) === 0 && (await rows()) > 5 ? true : undefined,
      );
    }
    // Quickly from one end to the other.
    for (let at = 0; at <= 20; at += 1) {
      await page.evaluate(`scrollTo(0, ${Math.round((height * at) / 20)})`);
      await rows();
    }
    expect(most).toBeLessThanOrEqual(200);
    expect(Math.max(0, ...answers)).toBeLessThanOrEqual(messageBytesMax);
    await page.keyboard.press("/");
    await page.keyboard.type("part-9999");
    await eventually("the one", async () => ((await page.locator(".row").count()) === 1 ? true : undefined));
    expect(await page.locator(".row .name").textContent()).toBe("T-9999");
    expect(open.faults).toEqual([]);
    expect(ground.faults).toEqual([]);
  });

  it("keeps its memory bounded over 100,000 events", async () => {
    await using ground = await boardGround();
    const { ledger } = ground.engine;
    const shopping = shopLedger(ground);
    await shopping.add("T-1", { title: "Busy", scope: ["src/busy.js"] });
    await using open = await openPage(browser, ground.link("/tasks"));
    const { page } = open;
    await page.getByText("Busy", { exact: true }).waitFor();
    const heap = async () => {
      await page.evaluate("globalThis.gc?.()");
      const session = await open.context.newCDPSession(page);
      await session.send("HeapProfiler.collectGarbage");
      const { usedSize } = (await session.send("Runtime.getHeapUsage")) as { usedSize: number };
      await session.detach();
      return usedSize;
    };
    const before = await heap();
    const at = new Date().toISOString();
    for (let commit = 0; commit < 100; commit += 1)
      await ledger.commit({
        events: Array.from({ length: 1000 }, () => ({
          at,
          type: "task.warned",
          actor: "run",
          cause: "warn",
          task: keyOf("T-1"),
          from: null,
          to: null,
          data: { signal: "tokens" },
        })),
      });
    const [last] = await ledger.events({ newestFirst: true, limit: 1 });
    expect(last?.seq).toBeGreaterThan(100_000);
    await shopping.add("T-2", { title: "After all of them", scope: ["src/after.js"] });
    await page.getByText("After all of them").waitFor();
    expect((await heap()) - before).toBeLessThan(4 * 1024 * 1024);
    for (const [name, bytes] of Object.entries(await sizesOf(ground, { task: keyOf("T-1") })))
      expect(bytes, name).toBeLessThanOrEqual(messageBytesMax);
    expect(open.faults).toEqual([]);
  });

  it("shows hostile text as text, in every field", async () => {
    await using ground = await boardGround();
    await fillHostile(ground);
    for (const [name, bytes] of Object.entries(
      await sizesOf(ground, { task: keyOf("T-1"), check: "1", file: "0" }),
    ))
      expect(bytes, name).toBeLessThanOrEqual(messageBytesMax);
    await using open = await openPage(browser, ground.link());
    const { page, context } = open;
    const visited: string[] = [];
    context.on("request", (request) => visited.push(request.url()));
    const paths = [
      "/",
      "/tasks",
      ...["", "?show=changes", "?show=log", "?show=evidence"].map((show) => `/task/${keyOf("T-1")}${show}`),
      "/timeline",
      "/locks",
      "/landed",
      "/guard",
      "/cost",
      "/plan",
    ];
    for (const path of paths) {
      await open.go(path);
      await page.locator("main h1").waitFor();
      await eventually(`the content of ${path}`, async () =>
        (await page.locator(".loading").count()) === 0 ? true : undefined,
      );
      expect(
        await page.evaluate(
          "[...document.querySelectorAll('script, iframe, object, embed, base, [onerror], [onload], [onclick]')].filter((one) => one.getAttribute('src') !== '/board.js').length",
        ),
        path,
      ).toBe(0);
      expect(await page.evaluate("document.images.length"), path).toBe(1);
      expect(
        await page.evaluate(
          "[...document.links].filter((link) => link.origin !== location.origin).map((link) => link.href)",
        ),
        path,
      ).toEqual([]);
      expect(
        await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
        path,
      ).toBeLessThanOrEqual(0);
      // Escape sequences and characters that reorder text are removed.
      expect(
        await page.evaluate(String.raw`/[\u001b\u202a-\u202e\u2066-\u2069]/.test(document.body.innerText)`),
        path,
      ).toBe(false);
    }
    expect(await page.evaluate("globalThis.hacked")).toBe(undefined);
    expect(visited.filter((url) => !url.startsWith(`http://127.0.0.1:${ground.server().port}/`))).toEqual([]);
    await open.go("/tasks");
    await page.getByText("<script>hacked = 1</script>", { exact: false }).first().waitFor();
    expect(open.faults).toEqual([]);
    expect(ground.faults).toEqual([]);
  });
});

const evil = `<script>hacked = 1</script><img src=x onerror="hacked=1"> [link](javascript:hacked=1) http://evil.example`;
const bidi = "\u202egpj.exe\u2066 \u200fabc\u200b";
const bomb = "\u001b[31m\u001b[2J\u001b]0;title\u0007\u001b[1;1H".repeat(3000);
const long = "x".repeat(1024 * 1024);

/** A task with hostile text in every field that an agent can write. */
async function fillHostile(ground: BoardGround): Promise<void> {
  const { engine, place } = ground;
  const { add, start, work, submit, land, check, refuse, review, agreed: _agreed } = shopLedger(ground);
  await add("T-1", { title: `${evil} ${bidi}`, scope: ["src/a.js"], agent: "<b>agent</b>" });
  await add("T-2", {
    title: `${"very ".repeat(2000)}long`,
    scope: Array.from({ length: 200 }, (_, at) => `src/<i>${at}</i>`),
  });
  await start("T-1", 10);
  await start("T-2", 10);
  mkdirSync(join(place.folder, "logs"), { recursive: true });
  appendFileSync(taskLogFile(place.folder, keyOf("T-1")), `${evil}\n${bidi}\n${bomb}\n${long}\nlast line\n`);
  const commit = work("T-1", {
    "src/a.js": `// ${evil}\n// ${bidi}\n// ${long}\n`,
    "src/<img src=x onerror=hacked=1>.html": evil,
    [`src/${bidi}.js`]: "1\n",
  });
  for (const target of [evil, bidi, long])
    await refuse("T-1", target, `${evil} ${bidi} ${long.slice(0, 2000)}`);
  await submit("T-1");
  await review("T-1", commit, "refused", [evil, bidi, long, bomb]);
  await askManual(engine, { task: keyOf("T-1"), criterion: `${evil} ${bidi} ${long}`, commit }, runner);
  for (let at = 0; at < 30; at += 1)
    await askManual(
      engine,
      { task: keyOf("T-2"), criterion: `${at} ${long.slice(0, 5000)}`, commit },
      runner,
    );
  await askSecurity(
    engine,
    {
      task: keyOf("T-2"),
      agent: "security",
      commit,
      summary: evil,
      findings: Array.from({ length: 200 }, () => `${evil} ${long.slice(0, 3000)}`),
    },
    runner,
  );
  await openSession(
    engine,
    { name: "2026-02-14_evil", goal: `${evil} ${bidi}`, mode: "full", base: "main", baseCommit: commit },
    runner,
  );
  await askSession(
    engine,
    {
      session: "2026-02-14_evil",
      kind: "question",
      question: `${evil} ${bidi}`,
      options: [evil, "no"],
      stateContext: "DESIGN",
      fromSecurity: false,
      about: ["x"],
    },
    runner,
  );
  const output = keepOutput(place.folder, `${evil}\n${bomb}\n${long}\n`);
  const failed = {
    exit: 1,
    seconds: 1,
    digest: evil,
    tail: `${evil}\n${bidi}\n${long}`,
    excerpt: `${evil}\n${bomb}\n${long}`,
    log: output,
  };
  await land([
    {
      id: "T-1",
      weakened: [{ path: evil, what: bidi }],
      evidence: [check(`${evil} ${long}`, { after: failed, outcome: "fail" })],
    },
  ]);
}
