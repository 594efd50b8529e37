import { isTaken, type ShownTask, whyOf } from "./task-words.ts";

export interface Question {
  readonly id: string;
  readonly task: string;
  readonly question: string;
  readonly options: readonly string[];
}

/** Something that only a person can settle, and how: one of the commands. */
export interface Need {
  readonly name: string;
  readonly text: string;
  readonly commands: readonly string[];
}

/** Open decisions, then tasks that were escalated and tasks that a person has taken. */
export function needsPerson(
  decisions: readonly Question[],
  tasks: readonly ShownTask[],
  nameOf: (key: string) => string,
): readonly Need[] {
  return [
    ...decisions.map((one) => ({
      name: one.id,
      text: questionText(one, nameOf),
      commands: decideCommands(one),
    })),
    ...tasks
      .filter(({ state }) => state === "ESCALATED")
      .map((task) => ({
        name: nameOf(task.id),
        text: whyOf(task),
        commands: [`lockstep task resolve ${nameOf(task.id)} --note "…"`],
      })),
    ...tasks.filter(isTaken).map(({ id }) => ({
      name: nameOf(id),
      text: "is in your hands",
      commands: [`lockstep submit ${nameOf(id)}`],
    })),
  ];
}

/** The task is called as a person would call it. */
export function questionText({ question, task }: Question, nameOf: (key: string) => string): string {
  return question.replaceAll(task, nameOf(task));
}

/** Each as it can be typed. */
export function decideCommands({ id, options }: Question): readonly string[] {
  return options.map((option) => `lockstep decide ${id} ${option}`);
}
