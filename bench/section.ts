/** One table of the report. Values are in ms, bytes or plain numbers, depending on their column. */
export interface Section {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

interface Column {
  readonly key: string;
  readonly unit: Unit;
}

export type Unit = "time" | "ratio" | "bytes" | "count";

export interface Row {
  readonly name: string;
  /** A column without a value stays empty. */
  readonly values: Readonly<Record<string, number | undefined>>;
  readonly goals?: readonly Goal[];
}

export interface Goal {
  readonly text: string;
  readonly met: boolean;
}

export interface Options {
  readonly quick: boolean;
}

/** The file of one subject: its measurements and options. */
export interface Subject {
  readonly name: string;
  measure(options: Options): Promise<readonly Section[]>;
}

export function atMost(value: number, limit: number, unit: Unit): Goal {
  return { text: `≤ ${format(limit, unit)}`, met: value <= limit };
}

export function format(value: number, unit: Unit): string {
  switch (unit) {
    case "time":
      return formatTime(value);
    case "ratio":
      return `${digits(value)}×`;
    case "bytes":
      return value < 2 ** 20 ? `${digits(value / 1024)} KiB` : `${digits(value / 2 ** 20)} MiB`;
    case "count":
      return String(value);
  }
}

function formatTime(ms: number): string {
  if (ms < 0.001) return `${Math.round(ms * 1e6)} ns`;
  if (ms < 1) return `${digits(ms * 1000)} µs`;
  return ms < 10_000 ? `${digits(ms)} ms` : `${digits(ms / 1000)} s`;
}

/** Three digits, as people read them. */
function digits(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value.toFixed(value >= 10 ? 1 : 2).replace(/\.0+$/, "");
}
