import { style } from "./style.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: text from agents must not command the terminal
const unprintable = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;

export function printable(text: string): string {
  return text.replace(unprintable, " ");
}

/** Columns that align; the last one is cut where the terminal ends. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(printable));
  const widths = head.map((name, column) =>
    Math.max(name.length, ...cells.map((row) => lengthOf(row[column] ?? ""))),
  );
  const width = process.stdout.isTTY ? process.stdout.columns : Infinity;
  const line = (row: readonly string[]) => {
    const text = row
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join("  ")
      .trimEnd();
    return lengthOf(text) > width ? `${[...text].slice(0, width - 1).join("")}…` : text;
  };
  return [style.bold(line(head)), ...cells.map(line)].map((text) => `${text}\n`).join("");
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - lengthOf(text)));
}

function lengthOf(text: string): number {
  return [...text].length;
}

/** 75 → `1m 15s`. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h ${minutes % 60}m` : `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
