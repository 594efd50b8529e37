import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { skipLoudly } from "./skip-loudly.ts";

/** Debian's name, and the name elsewhere. */
const program = ["chromium", "chromium-browser"].map(find).find((path) => path !== undefined);

export const hasBrowser = !skipLoudly(
  "THE TESTS OF THE BOARD IN A BROWSER",
  program === undefined ? "there is no chromium on the path" : undefined,
);

function find(name: string): string | undefined {
  try {
    return execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
}

/** Root has no user namespace for the browser's own sandbox; the pages are the project's own. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: program ?? "chromium", args: ["--no-sandbox", "--disable-gpu"] });
}

export interface Look {
  readonly colour?: "light" | "dark";
  readonly width?: number;
}

/** A page with separate storage; its errors are collected. */
export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly faults: string[];
  go(path: string): Promise<void>;
}

export async function openPage(
  browser: Browser,
  link: string,
  { colour = "light", width = 1440 }: Look = {},
): Promise<OpenPage> {
  const context = await browser.newContext({
    colorScheme: colour,
    viewport: { width, height: width < 800 ? 740 : 900 },
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error.stack)));
  page.on(
    "console",
    (message) =>
      message.type() === "error" &&
      !message.text().includes("ERR_CONNECTION_REFUSED") &&
      faults.push(message.text()),
  );
  await page.goto(link);
  return {
    ...{ page, context, faults },
    // As a link of the page would.
    go: (path) =>
      page.evaluate(
        `{ const link = Object.assign(document.createElement("a"), { href: ${JSON.stringify(path)} });
           document.body.append(link); link.click(); link.remove(); }`,
      ),
    [Symbol.asyncDispose]: () => context.close(),
  };
}

const pictures = new URL("../../node_modules/.cache/board-pictures", import.meta.url).pathname;

/** For people only; it is not compared. */
export async function takePicture(page: Page, name: string): Promise<void> {
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), animations: "disabled" });
}
