import type { Question } from "./needs-person.ts";
import type { ShownTask } from "./task-words.ts";

/** Everything that the view shows, at one moment. */
export interface RunModel {
  /** The session, where there is one. */
  readonly name: string | null;
  readonly tasks: readonly ShownTask[];
  readonly decisions: readonly Question[];
  /** The shortest name by which a person can call a task. */
  nameOf(key: string): string;
  /** Null where nothing runs that they could stand around. */
  readonly walls: Readonly<Record<string, boolean>> | null;
  /** What one task may use before it is halted. */
  readonly budget: { readonly tokens: number | null; readonly costUsd: number | null };
  /** The last thing that each task's agent did, or that became of its work. */
  readonly last: ReadonlyMap<string, string>;
  /** When it began; null for a look at what there is. */
  readonly sinceMs: number | null;
  /** What holds for the whole until further notice, such as that nothing more is started. */
  readonly remark: string | null;
  /** What is being done besides the agents' work, or what a key has brought about. */
  readonly notice: string | null;
  readonly selected: string | null;
  /** What each key does, where there are any. */
  readonly keys: readonly string[] | null;
}

export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
}

export interface Frame {
  readonly columns: number;
  readonly rows: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly paint?: Paint;
}

const asItIs = (text: string) => text;
export const noPaint: Paint = { bold: asItIs, dim: asItIs, red: asItIs, green: asItIs };
