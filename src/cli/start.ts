import type { AgentEvent } from "../clients/agent.ts";
import type { Deny } from "../core/rules/verdict.ts";
import type { Session } from "../core/session/session.ts";
import { currentSession } from "../engine/current-session.ts";
import { moveSession } from "../engine/move-session.ts";
import { openSession } from "../engine/open-session.ts";
import type { IntegrationContext } from "../run/integration.ts";
import { waitForPlanLock } from "../server/host-lock.ts";
import { conductSession } from "../session/conduct-session.ts";
import { checkRoles, openSessionRun } from "../session/open-session-run.ts";
import { currentFolder, findProject } from "../workspace/find-project.ts";
import { makeSessionFolder } from "../workspace/plan/session-folder.ts";
import { openStateFolder } from "../workspace/state-folder.ts";
import { answerAtPrompt } from "./answer-prompt.ts";
import { CommandFault } from "./command-fault.ts";
import { writeAll } from "./descriptor.ts";
import { inRepository } from "./in-repository.ts";
import { listenForStops } from "./listen-for-stops.ts";
import { isOfSession, reportSession } from "./report-session.ts";
import { checkedBase } from "./run.ts";
import { configForRun, type RunOptions } from "./run-options.ts";
import { PlainLines } from "./run-view/plain-lines.ts";
import { answerWords } from "./run-view/run-watcher.ts";
import { wallWords } from "./run-view/words.ts";
import { sessionSlug } from "./session-slug.ts";
import { style } from "./style.ts";
import { printable } from "./table.ts";
import { hasPerson, terminalPrompt } from "./terminal-prompt.ts";

interface StartOptions extends RunOptions {
  readonly lean?: boolean;
}

/** A goal, through the whole workflow. The same goal again goes on with its session. */
export function startCommand(goal: string, options: StartOptions): Promise<number> {
  return inRepository("start", options, async (given) => {
    const context = forSession(given, options);
    if (goal.trim() === "")
      throw new CommandFault("R-IN-001", "the goal is empty: say what is to be achieved");
    const known = (await context.engine.ledger.sessions()).find(
      (one) => one.goal === goal && one.state !== "DONE",
    );
    if (known !== undefined) return goOn(context, known, options);
    const unusable = await checkRoles(context);
    if (unusable !== undefined) throw new CommandFault(unusable.code, unusable.reason);
    const red = await checkedBase(context);
    if ("allow" in red) throw new CommandFault(red.code, red.reason);
    return goOn(context, await begin(context, goal, options.lean === true ? "lean" : "full"), options);
  });
}

/** Goes on where a session is. */
export function resumeCommand(name: string | undefined, options: RunOptions): Promise<number> {
  return inRepository("resume", options, async (given) => {
    const context = forSession(given, options);
    const { ledger } = context.engine;
    const session = name === undefined ? await currentSession(context.engine) : await ledger.session(name);
    if (session === undefined)
      throw new CommandFault(
        "R-IN-001",
        `there is no session${name === undefined ? "" : ` \`${name}\``} to go on with: \`lockstep start "<goal>"\` begins one, \`lockstep run\` goes on with a plan`,
      );
    return goOn(context, session, options);
  });
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
  const stateFolder = openStateFolder(findProject(currentFolder()));
  await using lines = new PlainLines(name, given.engine.ledger);
  const context = { ...given, onProgress: (line: string) => lines.step(line) };
  using stops = listenForStops({ watcher: () => lines, otherRun: () => undefined });
  if (session.state === "BLOCKED") await unblock(context, session);
  const say = (text: string) => lines.tell(printable(text));
  const onTask = (task: string, event: AgentEvent) => {
    // What a role answers in the end is told by the session.
    const isAnswer = event.type === "said" && !task.includes("/") && answerWords(event.text) !== undefined;
    if (!isAnswer) lines.onTask(task, event);
  };
  const wish = { name, stateFolder, stops, say, onTask };
  const opened = await openSessionRun(context, wish);
  if ("allow" in opened) throw new CommandFault(opened.code, opened.reason);
  await using run = opened;
  const { sandbox, missing } = run.walls;
  const walls = wallWords({ guard: false, sandbox, diff: true });
  writeAll(2, `${style.bold(name)}  ${session.mode} mode  walls: ${walls}\n`);
  if (missing !== undefined) lines.tell(`no sandbox around the agents: ${printable(missing)}`);
  for (;;) {
    const end = await conductSession(run.context);
    const isAsking = end.how === "waiting" && options.json !== true && hasPerson();
    if (isAsking) await lines.flush();
    if (!isAsking || !(await askHere(context, name, stops.gently)))
      return reportSession(context, end.session, end.how);
  }
}

/** Asks the person at the terminal what this session waits for; true if that lets it go on. */
async function askHere({ engine, call }: IntegrationContext, session: string, stop: AbortSignal) {
  using prompt = terminalPrompt(stop);
  const settled = await answerAtPrompt({ engine, call, prompt }, ({ task }) => isOfSession(task, session));
  return settled.length > 0 && prompt.isOpen;
}

async function unblock({ engine, call }: IntegrationContext, session: Session): Promise<void> {
  const moved: Session | Deny = await moveSession(
    engine,
    { session: session.name, event: { type: "resume" } },
    call,
  );
  if ("allow" in moved) throw new CommandFault(moved.code, moved.reason);
}
