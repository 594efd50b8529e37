import { fitted } from "../../core/text/display-width.ts";
import { writeAll } from "./descriptor.ts";
import { style } from "./style.ts";
import { duration, printable } from "./table.ts";

/** Prints long steps to stderr. On a terminal the last one shows its duration. */
export interface Progress extends Disposable {
  step(line: string): void;
  /** Ends the line of the last step, so that something else can be printed. */
  close(): void;
}

const tickMs = 1000;

export function showProgress(): Progress {
  const live = process.stderr.isTTY === true && process.env.CI === undefined;
  let current: { readonly line: string; readonly since: number } | undefined;
  const width = () => (process.stderr.columns ?? 80) - 12;
  const shown = () => current?.line ?? "";
  const text = () => `${style.dim("·")} ${live ? fitted(shown().split("\n")[0] ?? "", width()) : shown()}`;
  const rewrite = (end: string) => {
    if (current === undefined) return;
    const seconds = Math.round((performance.now() - current.since) / 1000);
    writeAll(2, `\r\u001b[K${text()}${seconds > 0 ? ` ${style.dim(duration(seconds))}` : ""}${end}`);
  };
  const close = () => {
    if (live) rewrite("\n");
    current = undefined;
  };
  const timer = live ? setInterval(() => rewrite(""), tickMs) : undefined;
  timer?.unref();
  return {
    step(line) {
      const said = line.split("\n").map(printable).join("\n  ");
      if (said === current?.line) return;
      if (live) rewrite("\n");
      current = { line: said, since: performance.now() };
      writeAll(2, live ? text() : `${text()}\n`);
    },
    close,
    [Symbol.dispose]: () => {
      clearInterval(timer);
      close();
    },
  };
}
