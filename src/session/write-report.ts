import { taskKey } from "../core/names/task-name.ts";
import type { Session } from "../core/session/session.ts";
import { reportedIn } from "../core/tasks/result.ts";
import { isIn } from "../core/tasks/task.ts";
import { sessionDecisions } from "../engine/decisions/session-decisions.ts";
import { planOf } from "./files/judge-files.ts";
import { filesOf } from "./files/look-up.ts";
import { keepWritten } from "./files/take-in-files.ts";
import type { SessionContext, StepEnd } from "./roles/session-context.ts";
import { acceptanceCommands } from "./tasks/prove-acceptance.ts";

/** Writes report.md from the ledger, if no role writes it (S4-048). */
export async function writeReport(context: SessionContext, session: Session): Promise<StepEnd> {
  keepWritten(context.context, new Map([["report.md", await reportText(context, session)]]));
  await completeReport(context);
  return "again";
}

/** S4-032: adds what the tasks' agents reported to report.md, if it is missing there. */
export async function completeReport(context: SessionContext): Promise<void> {
  const report = filesOf(context.context).read("report.md");
  if (report === undefined) return;
  const added = (await reportedSections(context)).flatMap(([title, lines]) => {
    const missing = lines.filter((line) => !report.includes(line));
    return missing.length === 0 ? [] : [section(title, missing)];
  });
  if (added.length === 0) return;
  const text = [report.trimEnd(), ...added].join("\n\n");
  keepWritten(context.context, new Map([["report.md", `${text}\n`]]));
}

async function reportedSections({ context, name }: SessionContext) {
  const tasks = (await context.engine.ledger.tasks({ session: name })).filter(isIn);
  const reported = tasks.map((task) => ({ id: task.id, ...reportedIn(task.result) }));
  const steps = reported.flatMap(({ id, manual_steps }) =>
    manual_steps.map((step) => oneLine(`${id}: ${step}`)),
  );
  const tests = reported.flatMap(({ id, tests_added_or_updated }) =>
    tests_added_or_updated.map((path) => oneLine(`${id}: ${path}`)),
  );
  return [["Manual steps", steps] as const, ["Tests added or updated", tests] as const];
}

async function reportText({ context, name }: SessionContext, session: Session): Promise<string> {
  const plan = planOf(context, filesOf(context));
  const tasks = "faults" in plan ? [] : plan.tasks;
  const done = await Promise.all(
    tasks.map(async ({ id, title }) => {
      const task = await context.engine.ledger.task(taskKey(name, id));
      return `${id} ${title}: ${task !== undefined && isIn(task) ? `merged as ${task.commit?.slice(0, 12)}` : "left out"}`;
    }),
  );
  const decisions = (await sessionDecisions(context.engine, name)).map(
    ({ id, question, answer, state }) =>
      `${id.slice(id.lastIndexOf("/") + 1)}: ${question} ${answer ?? state}`,
  );
  const commands = await acceptanceCommands(context);
  return [
    `# ${session.goal}`,
    section("What was done", done),
    section(
      "How to test",
      commands.map((command) => `\`${command}\` (passes)`),
    ),
    section("Decisions", decisions),
    `${section("Known issues", session.knownIssues)}\n`,
  ].join("\n\n");
}

function section(title: string, lines: readonly string[]): string {
  const listed = lines.length === 0 ? ["None."] : lines.map((line) => `- ${oneLine(line)}`);
  return [`## ${title}`, "", ...listed, ""].join("\n").trimEnd();
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
