import { fitted } from "../../core/text/display-width.ts";
import { writeAll } from "../output/descriptor.ts";
import { style } from "../output/style.ts";
import { duration, printable } from "../output/table.ts";

/** The progress of one part of the demo on stderr: an animated line on a terminal, else plain lines. */
export interface Stage extends Disposable {
  say(line: string): void;
  /** Marks the stage as successful; without this call it counts as failed. */
  done(): void;
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 100;
/** Without a terminal, at most one line in this time. */
const plainMs = 1000;

export function showStage(title: string): Stage {
  const live = process.stderr.isTTY === true && process.env.CI === undefined;
  const started = performance.now();
  const elapsed = () => duration(Math.round((performance.now() - started) / 1000));
  let [last, saidAt, frame, mark] = ["", 0, 0, style.red("✗")];
  const draw = () => {
    frame += 1;
    const text = fitted(last, (process.stderr.columns ?? 80) - title.length - elapsed().length - 8);
    const shown = `${style.bold(title)} ${style.dim(elapsed())}  ${style.dim(text)}`;
    writeAll(2, `\r\u001b[K ${frames[frame % frames.length]} ${shown}`);
  };
  if (!live) writeAll(2, `${title}\n`);
  const timer = live ? setInterval(draw, frameMs) : undefined;
  return {
    say: (line) => {
      last = printable(line);
      if (live || performance.now() - saidAt < plainMs) return;
      saidAt = performance.now();
      writeAll(2, `  ${fitted(last, 76)}\n`);
    },
    done: () => {
      mark = style.green("✓");
    },
    [Symbol.dispose]: () => {
      clearInterval(timer);
      writeAll(2, `${live ? "\r\u001b[K" : ""} ${mark} ${title} ${style.dim(elapsed())}\n`);
    },
  };
}
