import { chromium } from "playwright-core";
import { boardGround } from "./support/board-ground.ts";
import { fillShop, keyOf } from "./support/shop-ledger.ts";
await using ground = await boardGround();
await fillShop(ground);
await using browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const views: Record<string, string> = { needs: "/", tasks: "/tasks", task: `/task/${keyOf("T-4")}`, changes: `/task/${keyOf("T-4")}?show=changes`, evidence: `/task/${keyOf("T-2")}?show=evidence`, log: `/task/${keyOf("T-4")}?show=log`, timeline: "/timeline?session=2026-02-14_shop", locks: "/locks", landed: "/landed", guard: "/guard", cost: "/cost", plan: "/plan?session=2026-02-14_shop" };
const only = process.argv.slice(2);
for (const [colour, width] of [["light", 1440], ["dark", 360], ["dark", 1440], ["light", 360]] as const) {
  const wanted = Object.entries(views).filter(([name]) => only.length === 0 || only.includes(name) || only.includes(`${colour}-${width}`));
  if (only.some((o) => /-\d/.test(o)) && !only.includes(`${colour}-${width}`)) continue;
  const context = await browser.newContext({ colorScheme: colour, viewport: { width, height: width === 360 ? 740 : 900 } });
  const page = await context.newPage();
  page.on("console", (m) => console.log("CONSOLE", m.text()));
  page.on("pageerror", (e) => console.log("ERROR", e.message, e.stack));
  await page.goto(ground.link("/"));
  await page.waitForSelector(".need, .empty, .closed");
  for (const [name, path] of wanted) {
    await page.evaluate((to) => { history.pushState(null, "", to); dispatchEvent(new PopStateEvent("popstate")); scrollTo(0, 0); }, path);
    await page.waitForTimeout(500);
    await page.screenshot({ path: `/tmp/board-shots/${name}-${colour}-${width}.png`, fullPage: name !== "tasks" && name !== "needs" });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (wide > 0) console.log("OVERFLOW", name, colour, width, wide);
  }
  await context.close();
}
console.log(ground.faults);
