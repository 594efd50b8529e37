import { isNumeric, widths } from "./columns.ts";

/** Numbers are aligned at the right, texts at the left. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = widths([head, ...rows]);
  const line = (row: readonly string[]) =>
    all
      .map((width, at) => {
        const cell = row[at] ?? "";
        return isNumeric(cell) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd();
  return [head, all.map((width) => "-".repeat(width)), ...rows].map((row) => `${line(row)}\n`).join("");
}
