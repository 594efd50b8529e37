import { fitted } from "../../core/text/display-width.ts";
import { clockTime, withLocalTime } from "../../workspace/process/local-time.ts";
import { type Frame, noPaint } from "./run-model.ts";

/** The end of a task's log, with the keys that lead back. */
export function drawLog(
  { name, text, keys }: { readonly name: string; readonly text: string | undefined; readonly keys: string },
  { columns, rows, paint = noPaint }: Frame,
): string[] {
  const lines = text === undefined || text.trim() === "" ? ["no output yet"] : text.trimEnd().split("\n");
  const shown = lines.slice(-Math.max(1, rows - 2));
  return [
    paint.bold(fitted(`${name}: the end of its log`, columns)),
    ...shown.map((line) => fitted(withLocalTime(line, clockTime), columns)),
    paint.dim(fitted(keys, columns)),
  ].slice(0, Math.max(1, rows));
}
