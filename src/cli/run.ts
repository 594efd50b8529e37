import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent } from "../clients/agent.ts";
import { readStatus, type Status } from "../engine/read-status.ts";
import { conduct } from "../run/conduct/conduct.ts";
import { openRun } from "../run/conduct/open-run.ts";
import type { IntegrationContext } from "../run/integration.ts";
import { projectChecks } from "../run/prove-checks.ts";
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
import { counted, printable } from "./table.ts";

interface RunOptions extends RepositoryOptions {
  readonly again?: boolean;
}

const exits = { merged: 0, failed: 1, waiting: 3, running: 3 } as const;

/** Exit 0 everything merged, 1 something failed, 3 a person has to decide or it was stopped. */
export function runCommand(file: string | undefined, options: RunOptions): Promise<number> {
  return inRepository("run", options, async (context) => {
    const name = file ?? "tasks.yaml";
    if (!existsSync(join(context.repository.root, name)) && !existsSync(name))
      throw new CommandFault("E-PLAN", `there is no plan \`${name}\`: write one, or name another`);
    return runPlan(context, name, options.again === true);
  });
}

interface DoOptions extends RepositoryOptions {
  readonly scope?: readonly string[];
  readonly check?: readonly string[];
  readonly proves?: readonly string[];
  readonly agent?: string;
}

/** One task without a plan: what a plan would say of it is written for it. */
export function doCommand(goal: string, options: DoOptions): Promise<number> {
  return inRepository("do", options, async (context) => {
    const { root, baseCommit } = context.repository;
    const { scope = ["."], check = [], proves = [], agent = null } = options;
    const found = await projectChecks(root, baseCommit, context.config.checks.default);
    const checks = check.length > 0 ? check : found.map(({ command }) => command);
    if (checks.length === 0)
      throw new CommandFault(
        "E-PLAN",
        "nothing would prove it: no test command was found; name one with --check",
      );
    const task = {
      ...{ id: "T-001", goal, lock_scope: scope, proves },
      ...(agent === null ? {} : { agent }),
      acceptance_checks: checks.map((command) => `cmd: ${command}`),
    };
    const folder = mkdtempSync(join(tmpdir(), "lockstep-do-"));
    try {
      const file = join(folder, "tasks.yaml");
      writeFileSync(file, JSON.stringify({ project: { name: slugOf(goal) }, tasks: [task] }, null, 2));
      return await runPlan(context, file, true);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

function slugOf(goal: string): string {
  const words = goal.toLowerCase().match(/[a-z0-9]+/g) ?? ["task"];
  return words.slice(0, 5).join("-");
}

async function runPlan(context: IntegrationContext, file: string, again: boolean) {
  const plan = readPlan(context, file);
  const now = new Date(context.engine.clock.now().wallMs);
  const known = (await context.engine.ledger.tasks()).flatMap(({ session: one }) => one ?? []);
  const session = openSessionPlan(context.repository.root, file, { again, now, taken: new Set(known) });
  const stateFolder = openStateFolder(findProject(currentFolder()));
  const opened = await openRun(context, { plan, session, stateFolder, onTask });
  if ("allow" in opened) throw new CommandFault(opened.code, opened.reason);
  await using run = opened;
  const stand = `sandbox ${run.walls.sandbox ? "✓" : "✗"} diff ✓`;
  writeAll(2, `${style.bold(session.session)}  ${counted(plan.tasks.length, "task")}  walls: ${stand}\n`);
  if (run.walls.missing !== undefined) writeAll(2, `no sandbox around the agents: ${run.walls.missing}\n`);
  const stops = listenForStops();
  await conduct(run.context, run.tasks, stops);
  const walls = { guard: false, sandbox: run.walls.sandbox, diff: true };
  return await report(context, { session: session.session, walls, stopped: stops.gently.aborted });
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

const unfinished = ["PENDING", "IN_PROGRESS", "REVIEW", "REJECTED"];

interface Reported {
  readonly session: string;
  readonly walls: Status["walls"];
  readonly stopped: boolean;
}

async function report({ engine }: IntegrationContext, { session, walls, stopped }: Reported) {
  const all = await readStatus(engine);
  const tasks = all.tasks.filter(({ id }) => id.startsWith(`${session}/`));
  const states = tasks.map(({ state }) => state);
  const isWaiting =
    states.some((state) => state === "REVIEW" || state === "ESCALATED") || all.decisions.length > 0;
  const outcome = states.every((state) => state === "MERGED")
    ? "merged"
    : stopped && states.some((state) => unfinished.includes(state))
      ? "running"
      : isWaiting
        ? "waiting"
        : "failed";
  const batches = new Set(tasks.flatMap(({ batch }) => batch ?? [])).size;
  const document = { ...all, session, outcome, tasks, batches, walls };
  return { exit: exits[outcome], text: taskTable(tasks), refusals: [], document };
}
