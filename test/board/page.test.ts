import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerForms } from "../../src/board/models/needs.ts";
import { openDecisions } from "../../src/engine/decisions/open-decisions.ts";
import { operate } from "../../src/engine/operate.ts";
import type { Decision } from "../../src/ledger/ledger.ts";
import { hasBrowser, type OpenPage, openBrowser, openPage, takePicture } from "../support/board-browser.ts";
import { type BoardGround, boardGround } from "../support/board-ground.ts";
import { runner } from "../support/memory-engine.ts";
import { eventually } from "../support/run-command.ts";
import { fillShop, keyOf, shop, shopLedger } from "../support/shop-ledger.ts";

/** Every view, and a text that only appears when its data is loaded. */
const views: Readonly<Record<string, { readonly path: string; readonly shows: string }>> = {
  needs: { path: "/", shows: "the manual shows prices without tax" },
  tasks: { path: "/tasks", shows: "Invoice numbers without gaps" },
  task: { path: `/task/${keyOf("T-4")}`, shows: "a call was refused" },
  changes: { path: `/task/${keyOf("T-4")}?show=changes`, shows: "exports.rateOf" },
  log: { path: `/task/${keyOf("T-4")}?show=log`, shows: "writes src/tax/rates.js" },
  evidence: { path: `/task/${keyOf("T-2")}?show=evidence`, shows: "npm run lint" },
  timeline: { path: `/timeline?session=${shop}`, shows: "waiting for people" },
  locks: { path: "/locks", shows: "held by" },
  landed: { path: "/landed", shows: "1 test weakened" },
  guard: { path: "/guard", shows: "is outside the lock of T-4" },
  cost: { path: "/cost", shows: "1 repeated attempt" },
  plan: { path: `/plan?session=${shop}`, shows: "Batch 2" },
};

const looks = [
  { colour: "light", width: 1440, isJudged: true },
  { colour: "dark", width: 1280, isJudged: false },
  { colour: "light", width: 360, isJudged: false },
  { colour: "dark", width: 360, isJudged: true },
] as const;

describe.skipIf(!hasBrowser)("the board in a browser", { timeout: 120_000 }, () => {
  let browser: Browser;
  let ground: BoardGround;

  beforeAll(async () => {
    [browser, ground] = await Promise.all([openBrowser(), boardGround()]);
    await fillShop(ground);
  });
  afterAll(async () => {
    await browser?.close();
    expect(ground?.faults).toEqual([]);
    await ground?.[Symbol.asyncDispose]();
  });

  const shown = (page: Page, text: string) => page.getByText(text, { exact: false }).first().waitFor();
  const isDecided = (id: string) =>
    eventually(`an answer to ${id}`, async () => {
      const found = (await ground.engine.ledger.decisions()).find((one) => one.id === id);
      return found?.state === "answered" ? (found.answer ?? undefined) : undefined;
    });

  it.each(looks)(
    "shows every view in $colour at $width px without accessibility violations (judged: $isJudged)",
    async (look) => {
      await using open = await openPage(browser, ground.link(), look);
      const { page } = open;
      await shown(page, views.needs?.shows ?? "");
      await page.evaluate(axe.source);
      const wrong: string[] = [];
      for (const [name, { path, shows }] of Object.entries(views)) {
        await open.go(path);
        await shown(page, shows);
        expect(await page.evaluate("location.pathname + location.search"), name).toBe(path);
        // The page is not wider than the window.
        expect(
          await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
          name,
        ).toBeLessThanOrEqual(0);
        const cutOff =
          "document.querySelectorAll('.place')].filter((one) => one.getBoundingClientRect().right > innerWidth)";
        expect(await page.evaluate(`[...${cutOff}.length`), name).toBe(0);
        await takePicture(page, `${name}-${look.colour}-${look.width}`);
        // Both colours and both widths, but not every combination: that takes seconds.
        if (!look.isJudged) continue;
        const faults = await page.evaluate(
          "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).slice(0, 3).join(' | ')}`))",
        );
        for (const fault of faults as string[]) wrong.push(`${name}: ${fault}`);
      }
      expect(wrong).toEqual([]);
      expect(open.faults).toEqual([]);
    },
  );

  it("without a link explains how to open it, and a used link opens nothing", async () => {
    const link = ground.link();
    await using first = await openPage(browser, link);
    await shown(first.page, "oldest first");
    // The token is removed from the address, and the page stays open when it is reloaded.
    expect(first.page.url()).not.toContain("#");
    await first.page.reload();
    await shown(first.page, "oldest first");
    await using second = await openPage(browser, link);
    await shown(second.page, "Open the board from your terminal");
    await using third = await openPage(browser, link.slice(0, link.indexOf("#")));
    await shown(third.page, "Open the board from your terminal");
    expect(await third.page.evaluate("document.cookie")).toBe("");
    await takePicture(third.page, "closed-light-1440");
  });

  it("is navigated by keys: j, k, Enter, Esc and /", async () => {
    await using open = await openPage(browser, ground.link("/tasks"));
    const { page } = open;
    await shown(page, "Invoice numbers without gaps");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await page.keyboard.press("j");
    expect(await page.locator(".row.selected .name").textContent()).toBe("T-6");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/task/${keyOf("T-6")}`);
    await page.getByRole("heading", { name: "Shipping costs" }).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL("**/tasks");
    await shown(page, "Invoice numbers without gaps");
    expect(await page.locator(".row.selected .name").textContent()).toBe("T-6");
    await page.keyboard.press("/");
    await page.keyboard.type("codex stock");
    await eventually("one row", async () => ((await page.locator(".row").count()) === 1 ? true : undefined));
    await shown(page, "Stock levels");
    expect(page.url()).toContain("filter=codex+stock");
    await page.locator(".row").click();
    await page.getByRole("heading", { name: "Stock levels" }).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL("**/tasks?filter=codex+stock");
    await page.keyboard.press("/");
    await page.keyboard.press("Escape");
    await eventually("all rows", async () => ((await page.locator(".row").count()) > 10 ? true : undefined));
    expect(open.faults).toEqual([]);
  });

  it("shows changes side by side, marks changes outside the lock, and shows whole outputs", async () => {
    await using open = await openPage(browser, ground.link(`/task/${keyOf("T-4")}?show=changes`));
    const { page } = open;
    await shown(page, "outside its lock");
    expect(await page.locator(".file.outside .path").allTextContents()).toEqual(["docs/prices.md"]);
    await page.getByRole("button", { name: "Side by side" }).click();
    await page.locator("table.split td.added").first().waitFor();
    await open.go(`/task/${keyOf("T-2")}?show=evidence`);
    await page.getByText("The whole output").click();
    await shown(page, "not ok 3 - total of an empty cart");
    expect(open.faults).toEqual([]);
  });

  describe("a person", () => {
    it("answers each kind of question, under the same rules as the command", async () => {
      await using open = await openPage(browser, ground.link());
      const { page } = open;
      const pending = await openDecisions(ground.engine);
      const texts: Readonly<Record<string, string>> = {
        weakened: "the old tests asserted a bug",
        "approve-design": "number invoices by month",
        question: "France and the Netherlands",
      };
      const answers: Readonly<Record<Decision["kind"], string>> = {
        ...{
          widen: "Approve",
          vacuous: "Approve",
          manual: "Refuse",
          weakened: "Accept",
          continue: "Continue",
          security: "Refuse",
          login: "Done",
        },
        ...{
          "approve-design": "Request changes",
          "review-strategy": "Per batch",
          question: "Answer",
          repair: "Retry",
        },
      };
      expect(new Set(pending.map(({ kind }) => kind))).toEqual(new Set(Object.keys(answers)));
      for (const decision of pending) {
        const card = page.locator("article.need", { has: page.locator(`[id="need-${decision.id}"]`) });
        const button = card.getByRole("button", { name: answers[decision.kind] });
        const text = texts[decision.kind];
        const isNeeded = answerForms(decision).some((one) => one.text === "required");
        if (isNeeded && text !== undefined) {
          // Without a text the answer is not sent.
          await button.click();
          await card.getByText("takes a text").waitFor();
        }
        if (text !== undefined) await card.locator("textarea").fill(text);
        await button.click();
        const answer = await isDecided(decision.id);
        if (text !== undefined) expect(answer).toContain(text);
      }
      const events = await ground.engine.ledger.events({ type: "decision.answered" });
      expect(events.length).toBeGreaterThanOrEqual(pending.length - 1);
      for (const event of events) expect(event).toMatchObject({ actor: "person", data: { via: "board" } });
      expect(open.faults).toEqual([]);
    });

    it("reads why an answer is refused", async () => {
      const { add, start } = shopLedger(ground);
      await add("T-20", { title: "Over its budget", scope: ["src/budget.js"] });
      await start("T-20", 51_000);
      await using open = await openPage(browser, ground.link());
      const card = open.page.locator("article.need", { hasText: "Over its budget" });
      await card.locator("textarea").fill("plenty");
      await card.getByRole("button", { name: "Continue" }).click();
      await card.getByText("is not an amount").waitFor();
      // The text is kept if the chosen answer takes none.
      await card.getByRole("button", { name: "Stop" }).click();
      await card.getByText("“Stop” takes no text").waitFor();
      await card.locator("textarea").fill("20000");
      await card.getByRole("button", { name: "Continue" }).click();
      await eventually("T-20 continues", async () =>
        (await ground.engine.ledger.task(keyOf("T-20")))?.state === "PENDING" ? true : undefined,
      );
      // The card shows the result and stays in place, also when the list is reloaded.
      await card.getByText("is answered: continue: 20000").waitFor();
      await add("T-22", { title: "Asked meanwhile", scope: ["src/meanwhile.js"] });
      await start("T-22", 51_000);
      await shown(open.page, "Asked meanwhile");
      const titles = await open.page.locator("article.need h2").allTextContents();
      expect([titles[0], titles.at(-1)]).toEqual(["Over its budget", "Asked meanwhile"]);
      expect(await card.locator(".buttons").count()).toBe(0);
    });

    it("stops, resolves, widens, retries and takes over tasks, and rolls back after a dry run", async () => {
      const { add, start } = shopLedger(ground);
      await add("T-21", { title: "A task to control", scope: ["src/control.js"] });
      await start("T-21");
      const task = () => ground.engine.ledger.task(keyOf("T-21"));
      const isIn = (state: string) =>
        eventually(`T-21 is ${state}`, async () => ((await task())?.state === state ? true : undefined));
      await using open = await openPage(browser, ground.link(`/task/${keyOf("T-21")}`));
      const { page } = open;
      const act = async (name: string, confirm = name) => {
        await page.locator(".actions .buttons").getByRole("button", { name, exact: true }).click();
        return page.locator(".act-form").getByRole("button", { name: confirm, exact: true });
      };
      const widen = await act("Widen");
      await page.getByLabel("Paths, one per line").fill("src/more.js");
      await page.getByLabel("What they are needed for").fill("the other half");
      await widen.click();
      await shown(page, "may now also change src/more.js");
      expect((await task())?.assignment?.lock_scope).toContain("src/more.js");
      await (await act("Stop")).click();
      await isIn("BLOCKED");
      await (await act("Retry")).click();
      await isIn("PENDING");
      await start("T-21");
      await operate(ground.engine, "task-escalate", { task: keyOf("T-21"), reason: "which way?" }, runner);
      const resolve = await act("Resolve");
      await page.getByLabel("Your note for the next attempt").fill("this way");
      await resolve.click();
      await isIn("PENDING");
      expect((await task())?.resolution).toBe("this way");
      await start("T-21");
      await (await act("Take over")).click();
      await shown(page, "is yours");
      await open.go(`/task/${keyOf("T-2")}`);
      const before = ground.repository.git("rev-parse", "main");
      await (await act("Roll back", "Try it (dry run)")).click();
      await shown(page, "nothing was changed");
      expect(ground.repository.git("rev-parse", "main")).toBe(before);
      const landed = page.locator('.place[href="/landed"] .count');
      const landedBefore = Number(await landed.textContent());
      await page.getByRole("button", { name: "Roll back now" }).click();
      await shown(page, "rolled back");
      expect(ground.repository.git("rev-parse", "main")).not.toBe(before);
      expect((await ground.engine.ledger.task(keyOf("T-2")))?.revertedBy).not.toBe(null);
      await eventually("one merge less", async () =>
        Number(await landed.textContent()) === landedBefore - 1 ? true : undefined,
      );
      const [event] = await ground.engine.ledger.events({
        type: "task.rolled-back",
        newestFirst: true,
        limit: 1,
      });
      expect(event).toMatchObject({ actor: "person", data: { via: "board" } });
      expect(open.faults).toEqual([]);
    });
  });

  describe("changes of the ledger", () => {
    it("appear at once, in two browsers, and after a restart of the server", async () => {
      const { add, start } = shopLedger(ground);
      const pages: OpenPage[] = [
        await openPage(browser, ground.link("/tasks")),
        await openPage(browser, ground.link("/tasks")),
      ];
      const all = (text: string) => Promise.all(pages.map(({ page }) => shown(page, text)));
      await all("Invoice numbers without gaps");
      await add("T-30", { title: "Added while you look", scope: ["src/added.js"] });
      await all("Added while you look");
      await ground.restart();
      // While the pages reconnect.
      await add("T-31", { title: "Added during the restart", scope: ["src/unseen.js"] });
      await all("Added during the restart");
      await start("T-31");
      for (const { page } of pages)
        await page
          .locator(".row", { hasText: "Added during the restart" })
          .getByText("in progress")
          .waitFor();
      // The token of the first server is replaced, so that the page survives a reload.
      await pages[0]?.page.reload();
      await all("Added during the restart");
      for (const { faults } of pages)
        expect(faults.filter((text) => !/401|Failed to load/.test(text))).toEqual([]);
      for (const page of pages) await page[Symbol.asyncDispose]();
    });
  });
});
