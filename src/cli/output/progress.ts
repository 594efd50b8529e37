import { fitted } from "../../core/text/display-width.ts";
import { writeAll } from "./descriptor.ts";
import { style } from "./style.ts";
import { duration, printable } from "./table.ts";

/** Prints what happens to stderr. On a terminal a step that is running shows its duration; notes are printed whole. */
export interface Progress extends Disposable {
  /** `running`: the line names a step that ends when the next line is printed. */
  tell(line: string, state?: "running"): void;
  /** Ends the line of the last step, so that something else can be printed. */
  close(): void;
}

const tickMs = 1000;

export function showProgress(): Progress {
  const live = process.stderr.isTTY === true && process.env.CI === undefined;
  let current: { readonly line: string; readonly since: number } | undefined;
  const width = () => (process.stderr.columns ?? 80) - 12;
  const rewrite = (end: string) => {
    if (!live || current === undefined) return;
    const seconds = Math.round((performance.now() - current.since) / 1000);
    const text = `${style.dim("·")} ${fitted(current.line.split("\n")[0] ?? "", width())}`;
    writeAll(2, `\r\u001b[K${text}${seconds > 0 ? ` ${style.dim(duration(seconds))}` : ""}${end}`);
  };
  const close = () => {
    rewrite("\n");
    current = undefined;
  };
  const timer = live ? setInterval(() => rewrite(""), tickMs) : undefined;
  timer?.unref();
  return {
    tell(line, state) {
      const said = line.split("\n").map(printable).join("\n  ");
      if (said === current?.line) return;
      close();
      if (state !== "running" || !live) writeAll(2, `${style.dim("·")} ${said}\n`);
      if (state !== "running") return;
      current = { line: said, since: performance.now() };
      rewrite("");
    },
    close,
    [Symbol.dispose]: () => {
      clearInterval(timer);
      close();
    },
  };
}
