import type { Question } from "../../view/needs-person.ts";
import type { ShownTask } from "../../view/task-words.ts";

/** Everything that the view shows at one moment. */
export interface RunModel {
  /** The session; null for all sessions. */
  readonly name: string | null;
  readonly tasks: readonly ShownTask[];
  readonly decisions: readonly Question[];
  /** The shortest name that identifies a task. */
  nameOf(key: string): string;
  /** Which kinds of isolation are on; null if no run is active. */
  readonly walls: Readonly<Record<string, boolean>> | null;
  /** The machines that take part, in a line; absent if there is only this one. */
  readonly machines?: string | undefined;
  /** The command that opens the board; absent if it is not shown. */
  readonly board?: string;
  /** The limits at which a task is halted. */
  readonly budget: { readonly tokens: number | null; readonly costUsd: number | null };
  /** The last action of each task's agent, or the last step of its verification. */
  readonly last: ReadonlyMap<string, string>;
  /** When the run began; null for `status --watch`. */
  readonly sinceMs: number | null;
  /** A lasting remark about the run, such as that no new tasks will start. */
  readonly remark: string | null;
  /** The current step of Lockstep itself, or the result of a key. */
  readonly notice: string | null;
  readonly selected: string | null;
  /** What each key does; null without a keyboard. */
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

const unchanged = (text: string) => text;
export const noPaint: Paint = { bold: unchanged, dim: unchanged, red: unchanged, green: unchanged };
