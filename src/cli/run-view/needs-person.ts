import type { TaskStatus } from "../../engine/read-status.ts";

/** What is shown of a task; the status document has more. */
export type ShownTask = Pick<
  TaskStatus,
  "id" | "title" | "state" | "agent" | "attempts" | "code" | "reason" | "waiting_for" | "reverted_by"
> & {
  readonly started_at: string | null;
  readonly elapsed_seconds: number | null;
  readonly usage: { readonly tokens: number; readonly cost_usd: number | null };
  readonly alive: { readonly lease: string } | null;
};

export interface Question {
  readonly id: string;
  readonly task: string;
  readonly question: string;
  readonly options: readonly string[];
}

/** Something that only a person can settle, and how. */
export interface Need {
  readonly name: string;
  readonly text: string;
  readonly command: string;
}

/** Open decisions, then tasks that were escalated and tasks that a person has taken. */
export function needsPerson(decisions: readonly Question[], tasks: readonly ShownTask[]): readonly Need[] {
  return [
    ...decisions.map(({ id, question, options }) => ({
      name: id,
      text: question,
      command: `lockstep decide ${id} ${options.join("|")}`,
    })),
    ...tasks
      .filter(({ state }) => state === "ESCALATED")
      .map((task) => ({
        name: shortName(task.id),
        text: whyOf(task),
        command: `lockstep task resolve ${task.id} --note "…"`,
      })),
    ...tasks.filter(isTaken).map(({ id }) => ({
      name: shortName(id),
      text: "is in your hands",
      command: `lockstep submit ${id}`,
    })),
  ];
}

/** `take` keeps the lock without a clock. */
export function isTaken({ state, alive }: Pick<ShownTask, "state" | "alive">): boolean {
  return state === "IN_PROGRESS" && alive?.lease === "held";
}

export function whyOf({ code, reason }: Pick<ShownTask, "code" | "reason">): string {
  return [code, reason].filter(Boolean).join(" ");
}

/** Within its session a task is called by its id alone. */
export function shortName(key: string): string {
  return key.split("/").at(-1) ?? key;
}

/** What a task waits for, if anything; a task of another session has its whole name. */
export function waitsText({ id, waiting_for: others }: Pick<ShownTask, "id" | "waiting_for">): string {
  const session = id.slice(0, id.length - shortName(id).length);
  const names = others.map((key) => (key === `${session}${shortName(key)}` ? shortName(key) : key));
  return names.length === 0 ? "" : `waits for ${names.join(", ")}`;
}
