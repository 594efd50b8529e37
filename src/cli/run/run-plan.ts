import { existsSync, realpathSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import type { AgentEvent } from "../../clients/agent.ts";
import { copyName, sessionPath } from "../../core/names/session-paths.ts";
import { isMeta, taskKey } from "../../core/names/task-name.ts";
import { splitClaimed } from "../../core/plan/claimed-tasks.ts";
import { isIn } from "../../core/tasks/task.ts";
import type { Call, Engine } from "../../engine/change/engine.ts";
import { conductorRole, takeRole } from "../../engine/change/hold-role.ts";
import { sharedSessions } from "../../engine/machines/share-session.ts";
import { Agents } from "../../run/attempt/agents.ts";
import { checkBase } from "../../run/conduct/check-base.ts";
import { beganElsewhere } from "../../run/conduct/fleet/began-elsewhere.ts";
import { isFleet, type Offering, offeringOf } from "../../run/conduct/fleet/fleet.ts";
import { runOrJoin } from "../../run/conduct/fleet/run-or-join.ts";
import { exchangeFiles } from "../../run/conduct/fleet/shared-session.ts";
import { inLimits, prepareRun } from "../../run/conduct/open-run.ts";
import { prepareAgents } from "../../run/conduct/prepare-agents.ts";
import { takeInChanges } from "../../run/conduct/take-in-changes.ts";
import { tasksOfPlan } from "../../run/conduct/tasks-of-plan.ts";
import type { IntegrationContext } from "../../run/landing/integration.ts";
import { waitForPlanLock } from "../../server/host-lock.ts";
import { runAtWork } from "../../server/run-at-work.ts";
import { isolationWords } from "../../view/words.ts";
import type { ConfigFault } from "../../workspace/config/config-fault.ts";
import { currentFolder, findProject } from "../../workspace/files/find-project.ts";
import type { LoadedPlan } from "../../workspace/plan/load-plan.ts";
import { openSessionPlan, type SessionPlan } from "../../workspace/plan/open-session-plan.ts";
import { restoreSessions } from "../../workspace/plan/session-backup.ts";
import { keepSessionLimits } from "../../workspace/plan/session-limits.ts";
import { openStateFolder } from "../../workspace/state/state-folder.ts";
import { boardLine } from "../board/board-line.ts";
import { type Isolation, reportRun } from "../look/report-run.ts";
import { endBySignal } from "../open/end-by-signal.ts";
import { limitsOf } from "../open/open-engine.ts";
import { CommandFault } from "../output/command-fault.ts";
import { writeAll } from "../output/descriptor.ts";
import { showProgress } from "../output/progress.ts";
import { style } from "../output/style.ts";
import { counted, printable } from "../output/table.ts";
import { JsonLines } from "../run-view/json-lines.ts";
import { isLive, LiveView } from "../run-view/live-view.ts";
import { PlainLines } from "../run-view/plain-lines.ts";
import { runPort } from "../run-view/run-port.ts";
import { lastThing, type RunWatcher } from "../run-view/run-watcher.ts";
import { WaitLines } from "../run-view/wait-lines.ts";
import { listenForStops } from "./listen-for-stops.ts";
import { previewRun } from "./preview-run.ts";
import { givenEnds, planFor, type RunOptions, readPlan, withAgents, withLimits } from "./run-options.ts";
import { vagueLines } from "./vague-tasks.ts";

export interface PlanRequest {
  readonly file: string;
  readonly again: boolean;
  readonly options: RunOptions;
  /** The command that continues the session. */
  goOn(session: string): string;
  /** Printed before anything starts. */
  readonly first?: string;
  /** The text of a fault in the plan; a generated plan names the option that it comes from. */
  readonly told?: (fault: ConfigFault) => string;
}

/** Runs a plan from its current state, and reports the result. */
export async function runPlan(given: IntegrationContext, request: PlanRequest) {
  const { file, again, options, goOn, first } = request;
  const { repository } = given;
  const since = performance.now();
  const { config, ends, written } = readRequest(given, request);
  const engine = { ...given.engine, limits: limitsOf(config) };
  const context = { ...given, engine, config, allowRed: options.allowRed === true };
  if (options.dryRun === true) return previewRun(context, { file, plan: written, again, ends });
  for (const line of vagueLines(written)) context.onProgress(line);
  if (first !== undefined) context.onProgress(first);
  if (isFleet(context)) await fetchSessions(context);
  const session = await openSession(context, file, again);
  await refuseWorkflow(context, session);
  await refuseElsewhere(context, session, file);
  const refused = await takeInChanges(context, { plan: written, session });
  if (refused !== undefined) throw new CommandFault(refused.code, refused.reason);
  keepSessionLimits(session.folder, ends);
  const plan = await withoutClaimed(context, written, session);
  const ids = new Set(plan.tasks.map(({ id }) => id));
  const told = { session: session.session, ids, goOn: goOn(session.session) };
  if (await isDone(context, session)) return reportRun(context, { ...told, wasDone: true });
  const offering = offeringOf(context);
  const agents = new Agents(config, repository, offering?.labels);
  const planned = tasksOfPlan(config, plan, session.session);
  const unusable = await prepareAgents(agents, config, planned, offering !== undefined);
  if (unusable !== undefined) {
    forget(session);
    throw new CommandFault(unusable.code, unusable.reason);
  }
  const red = await checkedBase(context).catch((error: unknown) => {
    forget(session);
    throw error;
  });
  if ("allow" in red) {
    forget(session);
    return reportRun(context, { ...told, refused: red });
  }
  const inLines = options.jsonLines === true;
  const ran = await runInView(context, { plan, session, agents, inLines, offering });
  const seconds = (performance.now() - since) / 1000;
  return reportRun(context, { ...told, ...ran, seconds });
}

/** What is asked for. Mistakes in it are reported also where no agent is found, which is reported last. */
function readRequest(given: IntegrationContext, { file, options, told }: PlanRequest) {
  const ends = givenEnds(options);
  const limited = withLimits(given.config, options);
  const found = withAgents(limited, given.repository.root, options);
  const config = "allow" in found ? limited : found;
  const plan = readPlan({ ...given, config }, file, told);
  if ("allow" in found) throw new CommandFault(found.code, found.reason);
  return { config, ends, written: planFor(plan, config, options.agent) };
}

/** Fetches the sessions that began on other machines, so that the same plan continues one instead of beginning again. */
async function fetchSessions(context: IntegrationContext): Promise<void> {
  const { engine, repository, onProgress } = context;
  for (const { session, base } of (await sharedSessions(engine)).values()) {
    if (base !== repository.base || existsSync(join(repository.root, sessionPath(session, copyName))))
      continue;
    const tasks = await engine.ledger.tasks({ session });
    if (tasks.every(isIn)) continue;
    const fetched = await exchangeFiles(context, session, false);
    if (typeof fetched === "object") onProgress(`the files of ${session} cannot be fetched: ${fetched.why}`);
  }
}

async function withoutClaimed(
  { engine, onProgress }: IntegrationContext,
  plan: LoadedPlan,
  session: SessionPlan,
): Promise<LoadedPlan> {
  const known = new Set((await engine.ledger.tasks({ session: session.session })).map(({ key }) => key));
  const { tasks, claimed } = splitClaimed(plan.tasks, (id) => known.has(taskKey(session.session, id)));
  const names = claimed.join(", ");
  if (tasks.length === 0) {
    forget(session);
    throw new CommandFault(
      "E-PLAN",
      `the plan marks all its tasks as completed (${names}), so there is nothing to do: remove \`status\` from the tasks that Lockstep should do`,
    );
  }
  if (claimed.length > 0)
    onProgress(`marked completed in the plan, so neither verified nor run again: ${names}`);
  return { ...plan, tasks: [...tasks] };
}

async function openSession({ engine, repository, call }: IntegrationContext, file: string, again: boolean) {
  const stateFolder = openStateFolder(findProject(currentFolder()));
  using _alone = await waitForPlanLock(stateFolder);
  restoreSessions(stateFolder, repository.root);
  const now = new Date(engine.clock.now().wallMs);
  const known = (await engine.ledger.tasks()).flatMap(({ session }) => session ?? []);
  const taken = new Set(known);
  for (;;) {
    const plan = openSessionPlan(repository.root, file, { again, now, taken, base: repository.base });
    if (!plan.isNew || (await reserveName(engine, plan.session, call))) return plan;
    forget(plan);
    taken.add(plan.session);
  }
}

/** On a shared ledger, another machine may choose the same name at the same time: the conductor's role decides. */
async function reserveName(engine: Engine, session: string, call: Call): Promise<boolean> {
  if (engine.machine === undefined) return true;
  if ("heldBy" in (await takeRole(engine, conductorRole(session), call))) return false;
  return (await engine.ledger.tasks({ session, limit: 1 })).length === 0;
}

/** The tasks of a `start` session pass the gates of its workflow, which a plain run would skip. */
async function refuseWorkflow({ engine }: IntegrationContext, { session }: SessionPlan): Promise<void> {
  const found = await engine.ledger.session(session);
  if (found === undefined || found.state === "DONE") return;
  throw new CommandFault(
    "R-ST-001",
    `this plan belongs to \`lockstep start\`, which is in ${found.state}: continue it with \`lockstep resume ${session}\``,
  );
}

/** What is open is merged only into the branch that the session began on. */
async function refuseElsewhere(
  context: IntegrationContext,
  session: SessionPlan,
  file: string,
): Promise<void> {
  const elsewhere = beganElsewhere(context, session.session);
  if (elsewhere === undefined || (await isDone(context, session))) return;
  const { root, base } = context.repository;
  const again = `lockstep run ${relative(realpathSync(root), realpathSync(file))} --again`;
  throw new CommandFault(
    "R-ST-001",
    `${elsewhere.why}: ${elsewhere.remedy} to continue it, or start over on \`${base}\` with \`${again}\``,
  );
}

/** A session that never began leaves no folder behind. */
function forget({ isNew, folder }: SessionPlan): void {
  if (isNew) rmSync(folder, { recursive: true, force: true });
}

/** Everything is merged, and the plan has not changed. */
async function isDone({ engine }: IntegrationContext, { session, hasChanged }: SessionPlan) {
  const tasks = (await engine.ledger.tasks({ session })).filter(({ key }) => !isMeta(key));
  return !hasChanged && tasks.length > 0 && tasks.every(isIn);
}

/** Runs the project's own checks on the base before any agent starts. */
export async function checkedBase(context: IntegrationContext) {
  using progress = showProgress();
  let step = `reading \`${context.repository.base}\``;
  using ending = endBySignal(() => step);
  const onProgress: IntegrationContext["onProgress"] = (line, state) => {
    if (/^(?:setting up|running|retrying)\b/.test(line)) step = line;
    progress.tell(line, state);
  };
  const red = await checkBase({ ...context, onProgress }, ending.signal);
  if (!("allow" in red))
    for (const { command, run } of red)
      progress.tell(
        `\`${command}\` already fails on the base (exit ${run.exit}): tolerated while it fails the same way`,
      );
  return red;
}

/** Runs the tasks, with the live view on a terminal and plain lines elsewhere. */
async function runInView(
  given: IntegrationContext,
  {
    plan,
    session,
    agents,
    inLines,
    offering,
  }: {
    readonly plan: LoadedPlan;
    readonly session: SessionPlan;
    readonly agents: Agents;
    /** Events are printed to stdout as JSON lines. */
    readonly inLines: boolean;
    readonly offering: Offering | undefined;
  },
) {
  const { ledger } = given.engine;
  await using _events = inLines ? await JsonLines.open(ledger, session.session) : undefined;
  const last = new Map<string, string>();
  await using lines = new PlainLines(session.session, given.engine.ledger);
  let watcher: RunWatcher = lines;
  const context = { ...given, onProgress: (line: string) => watcher.step(line) };
  const onTask = (task: string, event: AgentEvent) => {
    const text = lastThing(event);
    if (text !== undefined) last.set(task, text);
    watcher.onTask(task, event);
  };
  const stateFolder = openStateFolder(findProject(currentFolder()));
  const shared = offering === undefined ? {} : { offering };
  const request = { plan, session, stateFolder, agents, onTask, ...shared };
  const run = await prepareRun(context, request);
  if ("allow" in run) {
    forget(session);
    throw new CommandFault(run.code, run.reason);
  }
  const walls: Isolation = { guard: false, sandbox: run.walls.sandbox, diff: true };
  const { missing = null } = run.walls;
  const otherRun = () => {
    const pid = runAtWork(stateFolder)?.pid;
    return pid === process.pid ? undefined : pid;
  };
  using stops = listenForStops({ watcher: () => watcher, otherRun });
  const looked = { session: session.session, stateFolder, stops, otherRun };
  await using view = isLive()
    ? new LiveView(
        {
          ...factsOf(inLimits(context, session.file), session.session, walls),
          board: "lockstep board",
        },
        runPort(context, looked),
      )
    : undefined;
  await using _waits = view === undefined ? new WaitLines(context.engine, session.session, lines) : undefined;
  if (view !== undefined) watcher = view;
  else writeAll(2, `${headLine(session.session, plan.tasks.length, walls)}${boardLine(stateFolder)}\n`);
  if (missing !== null) watcher.tell(`agents run without a sandbox: ${printable(missing)}`);
  await runOrJoin(context, request, run, {
    stops,
    // The live view shows this itself.
    onWatching: (pid) => {
      if (view === undefined)
        lines.tell(
          `Another run (PID ${pid ?? "?"}) is already handling these tasks; following its progress.`,
        );
    },
  });
  return { walls: { ...walls, missing }, last, stopped: stops.gently.aborted, left: stops.left };
}

function headLine(session: string, tasks: number, walls: Isolation): string {
  return `${style.bold(session)}  ${counted(tasks, "task")}  isolation: ${isolationWords(walls)}\n`;
}

function factsOf({ config: { limits } }: Pick<IntegrationContext, "config">, name: string, walls: Isolation) {
  return { name, walls, budget: { tokens: limits.tokens.halt, costUsd: limits.cost_usd.halt } };
}
