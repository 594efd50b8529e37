import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent } from "../../clients/agent.ts";
import { copyName, planCommand, sessionPath, sessionsFolder } from "../../core/names/session-paths.ts";
import { sessionSlug } from "../../core/names/slugs.ts";
import { concernsSession, sessionOfKey } from "../../core/names/task-name.ts";
import type { Deny } from "../../core/rules/verdict.ts";
import type { Session } from "../../core/session/session.ts";
import { abandoned, isSessionOver } from "../../core/session/session.ts";
import { conductorRole } from "../../engine/change/hold-role.ts";
import { currentSession } from "../../engine/sessions/current-session.ts";
import { moveSession } from "../../engine/sessions/move-session.ts";
import { openSession } from "../../engine/sessions/open-session.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { isFleet } from "../../run/conduct/fleet/fleet.ts";
import { refuseConducted } from "../../run/conduct/fleet/hold-conductor.ts";
import { exchangeFiles } from "../../run/conduct/fleet/shared-session.ts";
import type { IntegrationContext } from "../../run/landing/integration.ts";
import { waitForPlanLock } from "../../server/host-lock.ts";
import { runAtWork } from "../../server/run-at-work.ts";
import { conductSession } from "../../session/conduct-session.ts";
import { gateDocuments } from "../../session/files/gate-documents.ts";
import { publishStatus } from "../../session/files/publish-status.ts";
import { checkRoles, openSessionRun } from "../../session/open-session-run.ts";
import { isolationWords } from "../../view/words.ts";
import { currentFolder, findProject } from "../../workspace/files/find-project.ts";
import { readRepository } from "../../workspace/git/repository-state.ts";
import { restoreFiles } from "../../workspace/plan/session-backup.ts";
import { makeSessionFolder, sessionsAt } from "../../workspace/plan/session-folder.ts";
import { openStateFolder } from "../../workspace/state/state-folder.ts";
import { boardLine } from "../board/board-line.ts";
import { reportSession } from "../look/report-session.ts";
import { inRepository } from "../open/in-repository.ts";
import { CommandFault } from "../output/command-fault.ts";
import { writeAll } from "../output/descriptor.ts";
import { style } from "../output/style.ts";
import { printable } from "../output/table.ts";
import { answerAtPrompt } from "../prompt/answer-prompt.ts";
import { hasPerson, terminalPrompt } from "../prompt/terminal-prompt.ts";
import { PlainLines } from "../run-view/plain-lines.ts";
import { answerWords } from "../run-view/run-watcher.ts";
import { WaitLines } from "../run-view/wait-lines.ts";
import { listenForStops } from "./listen-for-stops.ts";
import { configForRun, type RunOptions } from "./run-options.ts";
import { checkedBase } from "./run-plan.ts";

interface StartOptions extends RunOptions {
  readonly lean?: boolean;
}

/** Takes a goal through the whole workflow. The same goal again continues its session. */
export function startCommand(goal: string, options: StartOptions): Promise<number> {
  return inRepository("start", options, async (given) => {
    const context = forSession(given, options);
    checkGoal(goal);
    const known = (await context.engine.ledger.sessions()).find(
      (one) => one.goal === goal && !isSessionOver(one),
    );
    if (known !== undefined) {
      await takeUp(context, known);
      return goOn(context, known, options);
    }
    const atWork = runAtWork(openStateFolder(findProject(currentFolder())));
    if (atWork !== undefined)
      throw new CommandFault(
        "R-ST-001",
        `another run (PID ${atWork.pid}) is active here: wait until it ends, or stop it first`,
      );
    const unusable = await checkRoles(context);
    if (unusable !== undefined) throw new CommandFault(unusable.code, unusable.reason);
    const red = await checkedBase(context);
    if ("allow" in red) throw new CommandFault(red.code, red.reason);
    return goOn(context, await begin(context, goal, options.lean === true ? "lean" : "full"), options);
  });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a goal has none but ends of lines and tabs
const goalForm = /^(?=[\s\S]*\S)[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]+$/;
const goalLengthMax = 10_000;

function checkGoal(goal: string): void {
  if (goal.trim() === "") throw new CommandFault("R-IN-001", "the goal is empty: describe what to achieve");
  if (!goalForm.test(goal))
    throw new CommandFault("R-IN-001", "the goal contains control characters: remove them");
  if (goal.length > goalLengthMax)
    throw new CommandFault(
      "R-IN-001",
      `the goal is longer than ${goalLengthMax} characters: move the details into a file, and name that file in the goal`,
    );
}

interface ResumeOptions extends RunOptions {
  readonly abandon?: string;
}

/** Continues a session from its current state. */
export function resumeCommand(name: string | undefined, options: ResumeOptions): Promise<number> {
  return inRepository("resume", options, async (given) => {
    const context = forSession(given, options);
    const { ledger } = context.engine;
    const session = name === undefined ? await currentSession(context.engine) : await ledger.session(name);
    if (session === undefined)
      throw new CommandFault(
        "R-IN-001",
        `there is no session${name === undefined ? "" : ` \`${name}\``} to continue: ${await wayToContinue(context, name)}`,
      );
    if (options.abandon !== undefined && name === undefined) await refuseSeveral(ledger);
    if (options.abandon === undefined) await takeUp(context, session);
    return options.abandon === undefined
      ? goOn(context, session, options)
      : abandon(context, session, options.abandon);
  });
}

/** A session folder whose plan the ledger does not know was made by another tool; its tasks can still be run. */
async function wayToContinue(
  { engine, repository: { root } }: IntegrationContext,
  name: string | undefined,
): Promise<string> {
  const planned = sessionsAt(root)
    .filter((session) => name === undefined || session === name)
    .filter((session) => existsSync(join(root, sessionPath(session, copyName))));
  const known = new Set((await engine.ledger.tasks()).map(({ key }) => sessionOfKey(key)));
  if (name !== undefined && known.has(name) && planned.includes(name))
    return `\`${planCommand(name)}\` continues that plan`;
  const foreign = planned.find((session) => !known.has(session));
  if (foreign !== undefined)
    return `\`${planCommand(foreign)}\` runs the open tasks of the plan in that folder, which another tool made`;
  return '`lockstep start "<goal>"` starts one, `lockstep run` continues a plan';
}

/** Another machine may have conducted the session until now. With a shared base, its files are at the remote. */
async function takeUp(context: IntegrationContext, { name, state }: Session): Promise<void> {
  if (state === "DONE") return;
  await refuseConducted(context.engine, name);
  if (!isFleet(context)) return refuseElsewhere(context, name);
  const fetched = await exchangeFiles(context, name, false);
  if (fetched === "exchanged") return;
  const why = fetched === "unknown" ? "they are not at the remote" : fetched.why;
  if (!isHere(context, name))
    throw new CommandFault("R-ST-001", `the files of session \`${name}\` cannot be fetched: ${why}`);
  context.onProgress(`the files of ${name} are as they were last on this machine: ${why}`);
}

function isHere({ repository }: IntegrationContext, session: string): boolean {
  return existsSync(join(repository.root, sessionsFolder, session));
}

/** Without a shared base, the files of a session are only on the machine that began it. */
async function refuseElsewhere(context: IntegrationContext, name: string): Promise<void> {
  const { engine } = context;
  if (engine.machine === undefined || isHere(context, name)) return;
  const holder = (await engine.ledger.role(conductorRole(name)))?.holder?.machine;
  const found = (await engine.ledger.machines()).find(({ id }) => id === holder);
  const where = found === undefined ? "the machine and clone that began it" : `machine \`${found.name}\``;
  throw new CommandFault(
    "R-ST-001",
    `the files of session \`${name}\` are not here: resume it on ${where}, or give it up with \`lockstep resume ${name} --abandon REASON\``,
  );
}

/** Without a name, the session to abandon has to be the only open one. */
async function refuseSeveral(ledger: Pick<Ledger, "sessions">): Promise<void> {
  const open = (await ledger.sessions()).filter((session) => !isSessionOver(session));
  if (open.length < 2) return;
  const names = open.map((session) => session.name);
  throw new CommandFault(
    "R-IN-001",
    `${names.length} sessions are open: name the one to abandon: ${names.map((one) => `\`${one}\``).join(", ")}`,
    { field: "session", candidates: names },
  );
}

/** The session keeps its state, and continues only if a person resumes it by name. */
async function abandon(given: IntegrationContext, session: Session, reason: string) {
  const call = { role: "person" } as const;
  const context = { ...given, call };
  const { engine } = context;
  if (session.state !== "DONE") {
    if (session.state === "BLOCKED") await unblock(context, session);
    const recovery = `\`lockstep resume ${session.name}\` continues it`;
    const blocker = { code: abandoned, reason, recovery };
    const event = { type: "block", blocker } as const;
    const moved = await moveSession(engine, { session: session.name, event }, call);
    if ("allow" in moved) throw new CommandFault(moved.code, moved.reason);
    const { root } = context.repository;
    const shown = await publishStatus(engine, { root, session: session.name });
    if (shown !== undefined) throw new CommandFault(shown.code, shown.reason);
  }
  return reportSession(context, (await engine.ledger.session(session.name)) ?? session, "over");
}

function forSession(given: IntegrationContext, options: RunOptions): IntegrationContext {
  const config = configForRun(given.config, given.repository.root, options);
  return { ...given, config, allowRed: options.allowRed === true };
}

async function begin(context: IntegrationContext, goal: string, mode: Session["mode"]): Promise<Session> {
  const { engine, repository, call } = context;
  using _alone = await waitForPlanLock(openStateFolder(findProject(currentFolder())));
  const tasks = (await engine.ledger.tasks()).flatMap(({ session }) => session ?? []);
  const taken = new Set([...tasks, ...(await engine.ledger.sessions()).map(({ name }) => name)]);
  const now = new Date(engine.clock.now().wallMs);
  const name = makeSessionFolder(repository.root, { about: sessionSlug(goal), now, taken });
  const { base, baseCommit } = repository;
  const opened = await openSession(engine, { name, goal, mode, base, baseCommit }, call);
  if ("allow" in opened) throw new CommandFault(opened.code, opened.reason);
  return opened;
}

async function goOn(given: IntegrationContext, session: Session, options: RunOptions) {
  if (session.state === "DONE") return reportSession(given, session, "over");
  const { name } = session;
  const project = findProject(currentFolder());
  const stateFolder = openStateFolder(project);
  // The session keeps the base that it was started with, whatever is checked out now.
  const repository = await readRepository(project, { ...given.config, base_branch: session.base });
  if ("error" in repository) throw new CommandFault("R-IN-001", repository.error);
  restoreFiles(stateFolder, repository.root, name);
  await using lines = new PlainLines(name, given.engine.ledger);
  const context = { ...given, repository, onProgress: (line: string) => lines.step(line) };
  await using _waits = new WaitLines(given.engine, name, lines);
  using stops = listenForStops({ watcher: () => lines, otherRun: () => undefined });
  if (session.state === "BLOCKED") await unblock(context, session);
  const say = (text: string) => lines.tell(printable(text));
  const onTask = (task: string, event: AgentEvent) => {
    // The session itself prints a role's final answer.
    const isAnswer = event.type === "said" && !task.includes("/") && answerWords(event.text) !== undefined;
    if (!isAnswer) lines.onTask(task, event);
  };
  const request = { name, stateFolder, stops, say, onTask };
  const opened = await openSessionRun(context, request);
  if ("allow" in opened) throw new CommandFault(opened.code, opened.reason);
  await using run = opened;
  const { sandbox, missing } = run.walls;
  const isolation = isolationWords({ guard: false, sandbox, diff: true });
  writeAll(
    2,
    `${style.bold(name)}  ${session.mode} mode, into ${session.base}  isolation: ${isolation}\n${boardLine(stateFolder)}\n`,
  );
  if (missing !== undefined) lines.tell(`agents run without a sandbox: ${printable(missing)}`);
  for (;;) {
    const end = await conductSession(run.context);
    const isAsking = end.how === "waiting" && options.json !== true && (await hasPerson());
    if (isAsking) await lines.flush();
    if (!isAsking || !(await askHere(context, name, stops.gently)))
      return reportSession(context, end.session, end.how, { guard: false, sandbox, diff: true });
  }
}

/** Asks the person at the terminal the open questions of this session; true if the session can continue. */
async function askHere({ engine, repository }: IntegrationContext, session: string, stop: AbortSignal) {
  using prompt = terminalPrompt(stop);
  const documents = gateDocuments(join(repository.commonFolder, "lockstep"));
  const asking = { engine, call: { role: "person" } as const, prompt, documents };
  const settled = await answerAtPrompt(asking, ({ task }) => concernsSession(task, session));
  return settled.length > 0 && prompt.isOpen;
}

async function unblock({ engine }: IntegrationContext, session: Session): Promise<void> {
  const moved: Session | Deny = await moveSession(
    engine,
    { session: session.name, event: { type: "resume" } },
    { role: "person" },
  );
  if ("allow" in moved) throw new CommandFault(moved.code, moved.reason);
}
