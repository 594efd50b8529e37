import type { Deny } from "../core/rules/verdict.ts";
import { wrapped } from "../core/text/display-width.ts";
import type { AnswerOf } from "../engine/operate.ts";
import { type AskOptions, ask } from "./ask.ts";
import { CommandFault } from "./command-fault.ts";
import { showReading } from "./reading.ts";
import { decideCommands, questionText } from "./run-view/needs-person.ts";
import { statusNames } from "./status-names.ts";
import { style } from "./style.ts";
import { counted, printable } from "./table.ts";
import { tellVerdict } from "./verdicts.ts";

interface DecideOptions extends AskOptions {
  readonly json?: boolean;
  readonly cancel?: string;
  readonly note?: string;
  readonly all?: boolean;
}

type Decisions = AnswerOf<"decisions">;

/** An answer, or the list of what is asked. */
export function decideCommand(
  id: string | undefined,
  answer: string | undefined,
  { json, cancel, note, all, ...options }: DecideOptions,
): Promise<number> {
  if (id !== undefined && (answer !== undefined || cancel !== undefined))
    return tellVerdict({ json, text: () => `decision ${id} is settled` }, async () => {
      if (cancel !== undefined) return ask("decide", { id, cancel }, options);
      const reason = note === undefined ? "" : await reasonFor(id, answer ?? "", note);
      return ask("decide", { id, answer: `${answer}${reason}` }, options);
    });
  if (json === true)
    return showReading({ json, text: () => "" }, () => readDecisions(id, all === true, options));
  return showReading<string>({ text: (text) => text }, async () => {
    const decisions = await readDecisions(id, all === true, options);
    return "allow" in decisions ? decisions : decisionsText(decisions, options);
  });
}

async function readDecisions(
  id: string | undefined,
  all: boolean,
  options: AskOptions,
): Promise<Decisions | Deny> {
  const found = await ask("decisions", { all: all || id !== undefined }, options);
  if ("allow" in found || id === undefined) return found;
  const one = found.filter((decision) => decision.id === id);
  if (one.length > 0) return one;
  throw new CommandFault("R-IN-001", `there is no decision \`${id}\`: see \`lockstep decide\``);
}

/** Who refuses work says why; other questions have no place for it. */
async function reasonFor(id: string, answer: string, note: string): Promise<string> {
  const found = await readDecisions(id, true, {});
  const kind = "allow" in found ? undefined : found[0]?.kind;
  if (answer.toLowerCase() === "refused" && (kind === "manual" || kind === "security")) return `: ${note}`;
  throw new CommandFault(
    "R-IN-001",
    `\`${id}\` takes no --note with \`${answer}\`: a reason goes with work that is refused; leave it out`,
  );
}

async function decisionsText(decisions: Decisions, options: AskOptions): Promise<string> {
  const tasks = await ask("task-list", {}, options);
  const listed = "allow" in tasks ? [] : tasks;
  if (decisions.length === 0) return nothingAsked(listed.filter(({ state }) => state === "ESCALATED").length);
  const nameOf = statusNames(listed).of;
  const columns = ((process.stdout.isTTY && process.stdout.columns) || 80) - 2;
  return decisions
    .map((one) => {
      const { id, task, state, answer } = one;
      const commands = state === "pending" ? decideCommands(one) : [];
      const settled =
        state === "pending" ? "" : `  ${state}${answer === null ? "" : `: ${printable(answer)}`}`;
      return [
        `${style.bold(id)}  ${printable(nameOf(task))}${settled}`,
        ...wrapped(questionText(one, nameOf), columns).map((line) => `  ${line}`),
        ...commands.map((command) => `  ${command}`),
      ];
    })
    .map((lines) => lines.map((line) => `${line}\n`).join(""))
    .join("\n");
}

function nothingAsked(escalated: number): string {
  if (escalated === 0) return "nothing waits for you\n";
  const are = escalated === 1 ? "is" : "are";
  return `no question waits for you, but ${counted(escalated, "task")} ${are} escalated: see \`lockstep status\`\n`;
}
