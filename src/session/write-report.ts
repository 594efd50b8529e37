import { taskKey } from "../core/names/task-name.ts";
import type { Session } from "../core/session/session.ts";
import { isIn } from "../core/tasks/task.ts";
import { sessionDecisions } from "../engine/session-decisions.ts";
import { planOf } from "./judge-files.ts";
import { filesOf } from "./look-up.ts";
import { acceptanceCommands } from "./prove-acceptance.ts";
import type { SessionContext, StepEnd } from "./session-context.ts";
import { keepWritten } from "./take-in-files.ts";

/** report.md from what the ledger knows, where no role writes it (S4-048). */
export async function writeReport(context: SessionContext, session: Session): Promise<StepEnd> {
  keepWritten(context.context, new Map([["report.md", await reportText(context, session)]]));
  return "again";
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
    section("Known issues", session.knownIssues),
  ].join("\n\n");
}

function section(title: string, lines: readonly string[]): string {
  const listed = lines.length === 0 ? ["None."] : lines.map((line) => `- ${line.replace(/\s+/g, " ")}`);
  return [`## ${title}`, "", ...listed, ""].join("\n").trimEnd();
}
