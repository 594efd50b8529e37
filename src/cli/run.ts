import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent } from "../clients/agent.ts";
import { readStatus } from "../engine/read-status.ts";
import { conduct } from "../run/conduct/conduct.ts";
import { openRun } from "../run/conduct/open-run.ts";
import type { IntegrationContext } from "../run/integration.ts";
import { faultLine } from "../workspace/config-fault.ts";
import { currentFolder, findProject } from "../workspace/find-project.ts";
import { type LoadedPlan, loadPlan } from "../workspace/plan/load-plan.ts";
import { openSessionPlan } from "../workspace/plan/open-session-plan.ts";
import { openStateFolder } from "../workspace/state-folder.ts";
import { CommandFault } from "./command-fault.ts";
import { writeAll } from "./descriptor.ts";
import { inRepository, type RepositoryOptions } from "./in-repository.ts";
import { taskTable } from "./status.ts";
import { style } from "./style.ts";
import { printable } from "./table.ts";

interface RunOptions extends RepositoryOptions {
  readonly again?: boolean;
}

const exits = { merged: 0, failed: 1, waiting: 3, running: 3 } as const;

/** Exit 0 everything merged, 1 something failed, 3 a person has to decide or it was stopped. */
export function runCommand(file: string | undefined, options: RunOptions): Promise<number> {
  return inRepository("run", options, async (context) => {
    const { root } = context.repository;
    const name = file ?? "tasks.yaml";
    if (!existsSync(join(root, name)) && !existsSync(name))
      throw new CommandFault("E-PLAN", `there is no plan \`${name}\`: write one, or name another`);
    const plan = readPlan(context, name);
    const now = new Date(context.engine.clock.now().wallMs);
    const session = openSessionPlan(root, name, { again: options.again === true, now });
    const stateFolder = openStateFolder(findProject(currentFolder()));
    const opened = await openRun(context, { plan, session, stateFolder, onTask });
    if ("allow" in opened) throw new CommandFault(opened.code, opened.reason);
    await using run = opened;
    const walls = `sandbox ${run.walls.sandbox ? "✓" : "✗"} diff ✓`;
    writeAll(2, `${style.bold(session.session)}  ${plan.tasks.length} tasks  walls: ${walls}\n`);
    if (run.walls.missing !== undefined) writeAll(2, `no sandbox around the agents: ${run.walls.missing}\n`);
    await conduct(run.context, run.tasks, listenForStops());
    return report(context, session.session);
  });
}

function readPlan({ config, repository }: IntegrationContext, file: string): LoadedPlan {
  const known = { agents: config.agents, taskTypes: config.task_types };
  const loaded = loadPlan(file, repository.root, known);
  if ("faults" in loaded) throw new CommandFault("E-PLAN", loaded.faults.map(faultLine).join("\n"));
  const manual = loaded.plan.tasks.find(({ acceptance_checks }) =>
    acceptance_checks.some((check) => check.startsWith("manual:")),
  );
  if (manual !== undefined)
    throw new CommandFault(
      "E-PLAN",
      `task \`${manual.id}\` has a \`manual:\` check, which \`run\` cannot ask for yet`,
    );
  return loaded.plan;
}

function onTask(task: string, event: AgentEvent): void {
  if (event.type === "said" || event.type === "tool")
    writeAll(
      2,
      `${style.dim(printable(task.split("/").at(-1) ?? task))}  ${printable(event.text).slice(0, 300)}\n`,
    );
}

/** Ctrl-C once: start nothing more. Twice: stop the agents. */
function listenForStops() {
  const [gently, atOnce] = [new AbortController(), new AbortController()];
  process.on("SIGINT", () => {
    if (gently.signal.aborted) atOnce.abort();
    gently.abort();
    writeAll(
      2,
      atOnce.signal.aborted ? "stopping the agents; everything is kept\n" : "starting nothing more\n",
    );
  });
  return { gently: gently.signal, atOnce: atOnce.signal };
}

async function report({ engine }: IntegrationContext, session: string) {
  const all = await readStatus(engine);
  const tasks = all.tasks.filter(({ id }) => id.startsWith(`${session}/`));
  const states = tasks.map(({ state }) => state);
  const outcome = states.every((state) => state === "MERGED")
    ? "merged"
    : states.some((state) => state === "REVIEW" || state === "ESCALATED") || all.decisions.length > 0
      ? "waiting"
      : "failed";
  const document = { ...all, session, outcome, tasks };
  return { exit: exits[outcome], text: taskTable(tasks), refusals: [], document };
}
