import type { PersonWait } from "../core/plan/waits.ts";
import { mayReason } from "../core/tasks/decision-kinds.ts";
import { printable } from "../core/text/printable.ts";
import { shellWord } from "../core/text/quoted.ts";
import { touchedHeading } from "../engine/decisions/ask-weakened.ts";
import { decisionName } from "../engine/decisions/decision-ids.ts";
import type { Decision } from "../ledger/ledger.ts";
import { type ShownTask, strayPaths, whyOf } from "./task-words.ts";

export interface Question {
  readonly id: string;
  readonly kind: Decision["kind"];
  readonly task: string;
  readonly question: string;
  readonly options: readonly string[];
  readonly asked_at?: string;
  /** What the question is about, line by line. */
  readonly findings?: readonly string[];
  readonly data?: Decision["data"];
}

/** Something that only a person can resolve, with the commands for it. */
export interface Need {
  readonly of: { readonly decision: string } | { readonly task: string } | { readonly branch: string };
  readonly name: string;
  readonly text: string;
  readonly commands: readonly string[];
}

function byAge({ asked_at: one = "" }: Question, { asked_at: other = "" }: Question): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

interface Landing {
  readonly branch: string;
  readonly code: string;
  readonly reason: string;
  readonly command?: string;
}

/** Open decisions, the oldest first, then tasks, then landings that wait for a person. */
export function needsPerson(
  decisions: readonly Question[],
  tasks: readonly ShownTask[],
  nameOf: (key: string) => string,
  landings: readonly Landing[] = [],
): readonly Need[] {
  const mayContinue = (id: string) => decisions.some(({ kind, task }) => kind === "continue" && task === id);
  return [
    ...decisions.toSorted(byAge).map((one) => ({
      of: { decision: one.id },
      name: decisionName(decisions, one.id),
      text: questionText(one, nameOf),
      commands: decideCommands(one, decisions),
    })),
    ...tasks.flatMap((task) => {
      if (mayContinue(task.key)) return [];
      const name = nameOf(task.key);
      const commands = commandsFor(task, name);
      const text = isWaitingFor(task, "taken") ? "you took it over" : whyOf(task);
      return commands.length === 0
        ? []
        : [{ of: { task: task.key }, name, text, commands: commands.slice(0, 1) }];
    }),
    ...landings.map(landingNeed),
  ];
}

function landingNeed({ branch, code, reason, command }: Landing): Need {
  const name = printable(branch);
  const text = printable(`cannot land yet, ${code}: ${reason}`);
  return {
    of: { branch },
    name,
    text,
    commands: [command === undefined ? `lockstep land ${name}` : printable(command)],
  };
}

const strayMax = 3;

/** The commands that continue a task that waits for a person. Decisions have their own: `decideCommands`. */
export function commandsFor(
  task: Pick<ShownTask, "waits" | "state" | "code" | "details">,
  name: string,
): readonly string[] {
  const resolve = `lockstep task resolve ${name} --note "…"`;
  const stray = strayPaths(task).slice(0, strayMax).map(shellWord);
  const widen = stray.length === 0 ? [] : [`lockstep widen ${name} ${stray.join(" ")} --why "…"`];
  if (isWaitingFor(task, "escalated")) return [...widen, resolve];
  if (isWaitingFor(task, "taken")) return [`lockstep submit ${name}`];
  if (isWaitingFor(task, "stopped") || isWaitingFor(task, "reported")) return [`lockstep task retry ${name}`];
  return isWaitingFor(task, "denied") ? [`lockstep task escalate ${name} --reason "…"`, resolve] : [];
}

function isWaitingFor({ waits }: Pick<ShownTask, "waits">, why: PersonWait): boolean {
  return waits.some((wait) => wait.on === "person" && wait.why === why);
}

/** With the short name of the task. */
export function questionText({ question, task }: Question, nameOf: (key: string) => string): string {
  return question.replaceAll(task, nameOf(task));
}

export interface FindingGroup {
  readonly heading: string | null;
  readonly lines: readonly string[];
}

/** The findings of a question: first those that it is about, then what the change touches. */
export function findingGroups(findings: readonly string[]): readonly FindingGroup[] {
  const at = findings.indexOf(touchedHeading);
  const [about, touched] = at < 0 ? [findings, []] : [findings.slice(0, at), findings.slice(at + 1)];
  return [
    { heading: null, lines: about },
    { heading: touchedHeading, lines: touched },
  ].filter(({ lines }) => lines.length > 0);
}

/** The same as lines of text. */
export function findingLines(findings: readonly string[]): readonly string[] {
  return findingGroups(findings).flatMap(({ heading, lines }) =>
    heading === null ? lines.map((line) => `- ${line}`) : [heading, ...lines.map((line) => `  - ${line}`)],
  );
}

/** The commands that answer a decision. `pending`: all open decisions, if known, for the shortest name. */
export function decideCommands(one: Question, pending?: readonly Question[]): readonly string[] {
  const name = pending === undefined ? one.id : decisionName(pending, one.id);
  return answersTo(one).map((answer) => `lockstep decide ${name} ${inShell(answer)}`);
}

/** The possible answers; `…` is free text. */
export function answersTo({ kind, options }: Pick<Question, "kind" | "options">): readonly string[] {
  if (options.length === 0) return ["…"];
  if (kind === "weakened") return ["accept: …", "refuse: …"];
  if (kind === "continue") return ["continue", "continue: …", "stop"];
  const takesReason = (option: string) => kind !== "question" && mayReason(kind, option);
  return options.flatMap((option) => (takesReason(option) ? [option, `${option}: …`] : [option]));
}

function inShell(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
