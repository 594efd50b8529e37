import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentEvent } from "../../clients/agent.ts";
import { withEnds } from "../../core/loops/budgets.ts";
import { sessionPath, sessionsFolder } from "../../core/names/session-paths.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import { maskSecrets } from "../../core/secrets/mask-secrets.ts";
import type { Engine } from "../../engine/change/engine.ts";
import { withoutUnapproved } from "../../engine/decisions/test-consent.ts";
import { sharedSessions, shareSession } from "../../engine/machines/share-session.ts";
import { guardEndpoint } from "../../guard/answer/open-endpoint.ts";
import { tidyShownActive } from "../../guard/world/active.ts";
import { openHost } from "../../server/host.ts";
import { KnownSecrets } from "../../workspace/checkouts/known-secrets.ts";
import { findProject } from "../../workspace/files/find-project.ts";
import { missingFilterFix, missingFilters, missingFilterText } from "../../workspace/git/missing-filters.ts";
import { readRef } from "../../workspace/git/refs.ts";
import type { LoadedPlan } from "../../workspace/plan/load-plan.ts";
import type { SessionPlan } from "../../workspace/plan/open-session-plan.ts";
import { backUpSession, restoreSessions } from "../../workspace/plan/session-backup.ts";
import { readSessionLimits } from "../../workspace/plan/session-limits.ts";
import { chooseSandbox } from "../../workspace/sandbox/choose-sandbox.ts";
import { type Sandbox, SandboxFault } from "../../workspace/sandbox/sandbox.ts";
import { showActive } from "../../workspace/state/active-file.ts";
import { appendToMemory } from "../../workspace/state/append-to-memory.ts";
import { Agents } from "../attempt/agents.ts";
import { Dependencies } from "../attempt/dependencies.ts";
import type { RunContext, RunTask } from "../attempt/run-context.ts";
import { Slots } from "../attempt/slots.ts";
import { freshBase } from "../landing/fresh-base.ts";
import type { IntegrationContext } from "../landing/integration.ts";
import { freeLeftLocks, lockPlaces } from "../landing/move/recover-moves.ts";
import { TaskLogs } from "../landing/work/task-logs.ts";
import { Fleet, includedIn, isFleet, type Offering } from "./fleet/fleet.ts";
import { ConductorRoles } from "./fleet/hold-conductor.ts";
import { LogSharing } from "./fleet/share-logs.ts";
import { prepareAgents } from "./prepare-agents.ts";
import { StatusFile } from "./status-file.ts";
import { addTasks, redoneTasks, tasksOfPlan } from "./tasks-of-plan.ts";

export interface RunRequest {
  readonly plan: LoadedPlan;
  readonly session: Pick<SessionPlan, "session" | "file">;
  readonly stateFolder: string;
  /** If they were probed already. */
  readonly agents?: Agents;
  /** What this process offers, if other machines work on its sessions too. */
  readonly offering?: Offering;
  onTask(task: string, event: AgentEvent): void;
}

/** A run that has passed all checks that are possible before an agent starts. */
export interface PreparedRun {
  readonly tasks: readonly RunTask[];
  /** The isolation of the agents. */
  readonly walls: { readonly sandbox: boolean; readonly missing?: string };
  /** Throws `HostRunning` while another process conducts a run: only one can. */
  open(): Promise<OpenedRun>;
}

export interface OpenedRun extends AsyncDisposable {
  readonly context: RunContext;
  /** Adds the tasks of another session to the run. */
  takeIn(other: Pick<RunRequest, "plan" | "session">): Promise<TakenIn | Deny>;
}

export interface TakenIn {
  readonly context: RunContext;
  readonly tasks: readonly RunTask[];
}

export async function prepareRun(
  context: IntegrationContext,
  request: RunRequest,
): Promise<PreparedRun | Deny> {
  const { config, repository } = context;
  const [filter] = await missingFilters(repository.root, process.env.PATH ?? "");
  if (filter !== undefined)
    return deny("E-GIT", `${missingFilterText(filter)}: ${missingFilterFix(filter)}`, { ...filter });
  const chosen = await chooseSandbox(config.sandbox);
  if ("error" in chosen) throw new SandboxFault(chosen.error);
  const { sandbox, missing } = chosen;
  const { agents = new Agents(config, repository) } = request;
  const takeTasks = async ({ plan, session }: Pick<RunRequest, "plan" | "session">) => {
    const allowed = await withoutUnapproved(context.engine, session.session, plan.tasks);
    const tasks = tasksOfPlan(config, { ...plan, tasks: allowed }, session.session);
    const refused = await prepareAgents(agents, config, tasks, request.offering !== undefined);
    const faulty = refused ?? (await addTasks(context, tasks));
    if (faulty === undefined) backUpSession(request.stateFolder, repository.root, session.session);
    return faulty ?? [...tasks, ...(await redoneTasks(context, tasks, session.session))];
  };
  const tasks = await takeTasks(request);
  if ("allow" in tasks) return tasks;
  if (!config.session.commit) keepOutOfCommits(repository.commonFolder);
  return {
    tasks,
    walls: { sandbox: sandbox.enforces, ...(missing === undefined ? {} : { missing }) },
    open: async () => {
      const member = await openMember(context, { ...request, agents, sandbox });
      try {
        await member.conduct(request.session);
      } catch (error) {
        await member[Symbol.asyncDispose]();
        throw error;
      }
      return {
        context: member.contextOf(request.session),
        takeIn: async (other) => {
          const more = await takeTasks(other);
          if (!("allow" in more)) await member.conduct(other.session);
          return "allow" in more ? more : { context: member.contextOf(other.session), tasks: more };
        },
        [Symbol.asyncDispose]: () => member[Symbol.asyncDispose](),
      };
    },
  };
}

export interface MemberRequest extends Pick<RunRequest, "stateFolder" | "onTask"> {
  readonly agents: Agents;
  readonly sandbox: Sandbox;
  /** What this process offers, if other machines work on its sessions too. */
  readonly offering?: Offering;
}

/** A process that runs attempts, and what its sessions share. */
export interface Member extends AsyncDisposable {
  readonly fleet: Fleet | undefined;
  /** Of no session. */
  readonly context: RunContext;
  contextOf(session: RunRequest["session"]): RunContext;
  /** Becomes the conductor of a session, unless another machine is and the session is shared. */
  conduct(session: RunRequest["session"]): Promise<void>;
}

/** Throws `HostRunning` while another process of this repository runs attempts. */
export async function openMember(context: IntegrationContext, request: MemberRequest): Promise<Member> {
  const { config, repository, engine, call } = context;
  const { stateFolder, sandbox, agents, offering } = request;
  const places = lockPlaces(repository.root, repository.base);
  places.catch(() => {}); // `freeLeftLocks` gets the error
  const secrets = new KnownSecrets();
  secrets.addFrom(repository.root, config.workspace.include);
  const project = findProject(repository.root);
  const guard = guardEndpoint({ engine, project, isRunAlive: () => true });
  const host = await openHost(engine, stateFolder, { guard, walls: { sandbox: sandbox.enforces } });
  const roles = new ConductorRoles(context, offering !== undefined);
  const fleet =
    offering === undefined ? undefined : await openFleet({ ...context, agents, roles }, offering, host);
  showActive(stateFolder);
  await freeLeftLocks(context, places);
  const logs = shareLogs(context, stateFolder);
  const files = new SessionMemory(
    context,
    { ...request, onLogged: (task) => logs?.grew(task) },
    secrets,
    (session) => fleet?.conducts(session) ?? true,
  );
  const shared = {
    ...{ sandbox, agents, socket: host.socket, slots: new Slots(), secrets },
    dependencies: new Dependencies(context),
    whyReplaced: () => roles.fault,
    conductorOf: (session: string) => roles.held(session),
    ...(fleet === undefined ? {} : { fleet }),
    atBase: () => atBase(context, fleet),
  };
  const sessions = new Set<string>();
  return {
    fleet,
    context: {
      ...context,
      ...shared,
      session: "",
      remember: () => {},
      onTask: request.onTask,
      onState: () => {},
    },
    contextOf: (session) => {
      sessions.add(session.session);
      return {
        ...inLimits(context, session.file),
        ...shared,
        session: session.session,
        ...files.of(session),
      };
    },
    conduct: async ({ session }) => {
      if (fleet === undefined) return roles.take(session);
      if (!(await roles.tryTake(session)))
        return fleet.need(session, (await sharedSessions(engine)).get(session)?.includes ?? []);
      await fleet.exchange(session);
      const includes = includedIn(config, repository.root);
      await shareSession(engine, { session, base: repository.base, includes }, call);
      engine.ledger.hints?.give();
    },
    [Symbol.asyncDispose]: async () => {
      await using _ends = closing(engine, stateFolder, [host, fleet, roles]);
      await files.written();
      await logs?.[Symbol.asyncDispose]();
      for (const session of sessions) await fleet?.exchange(session);
    },
  };
}

/** Undefined if the ledger belongs to this machine. */
function shareLogs({ engine, onProgress }: IntegrationContext, stateFolder: string): LogSharing | undefined {
  const { machine, ledger } = engine;
  if (machine === undefined || ledger.logs === undefined) return undefined;
  return new LogSharing({ logs: ledger.logs, machine, stateFolder, onProgress });
}

/** Closes each part even if another fails: an open host would keep the process alive. The last one is closed first. */
function closing(engine: Engine, stateFolder: string, parts: readonly (AsyncDisposable | undefined)[]) {
  const ends = new AsyncDisposableStack();
  const over = { folder: stateFolder, isRunAlive: () => false };
  ends.defer(async () => void (await tidyShownActive({ ...engine, ...over })));
  for (const part of parts) ends.use(part);
  return ends;
}

/** Gives `host` back if this process cannot take part. */
async function openFleet(
  source: Parameters<typeof Fleet.open>[0],
  offering: Offering,
  host: AsyncDisposable,
): Promise<Fleet> {
  try {
    return await Fleet.open(source, offering);
  } catch (error) {
    await source.roles[Symbol.asyncDispose]();
    await host[Symbol.asyncDispose]();
    throw error;
  }
}

/** The context with the limits that a person set for the session. */
export function inLimits<Context extends Pick<IntegrationContext, "config" | "engine">>(
  { config, engine, ...context }: Context,
  file: string,
) {
  const ends = readSessionLimits(dirname(file));
  return {
    ...context,
    config: { ...config, limits: withEnds(config.limits, ends) },
    engine: { ...engine, limits: withEnds(engine.limits, ends) },
  };
}

/** Writes what a run leaves for people: the log of each task, and the memory and status files of each session. */
class SessionMemory {
  readonly #context: IntegrationContext;
  readonly #onTask: RunRequest["onTask"];
  readonly #onLogged: (task: string) => void;
  readonly #logs: TaskLogs;
  readonly #statuses: StatusFile[] = [];
  readonly #secrets: KnownSecrets;
  readonly #stateFolder: string;
  readonly #conducts: (session: string) => boolean;
  #last: Promise<void> = Promise.resolve();
  #fault: unknown;

  constructor(
    context: IntegrationContext,
    {
      stateFolder,
      onTask,
      onLogged,
    }: Pick<RunRequest, "stateFolder" | "onTask"> & { readonly onLogged: (task: string) => void },
    secrets: KnownSecrets,
    conducts: (session: string) => boolean,
  ) {
    this.#context = context;
    this.#conducts = conducts;
    this.#secrets = secrets;
    this.#stateFolder = stateFolder;
    this.#onTask = onTask;
    this.#onLogged = onLogged;
    this.#logs = new TaskLogs(stateFolder);
  }

  of({ session, file }: RunRequest["session"]): Pick<RunContext, "remember" | "onTask" | "onState"> {
    const { engine, repository } = this.#context;
    const now = () => new Date(engine.clock.now().wallMs);
    const statuses = new StatusFile(file, () => restoreSessions(this.#stateFolder, repository.root));
    this.#statuses.push(statuses);
    return {
      remember: (name, text) => {
        const line = `- ${now().toISOString()} ${text}\n`;
        appendToMemory(repository.root, sessionPath(session, name), line);
      },
      onTask: (task, event) => this.#tell(task, event, now()),
      onState: (id, state) => {
        if (!this.#conducts(session)) return;
        statuses.set(id, state);
        statuses.write();
      },
    };
  }

  /** Shows and stores an agent's output, in order and with secrets masked (INV-8). */
  #tell(task: string, event: AgentEvent, at: Date): void {
    if (event.type === "said" && event.text === "") return; // only a sign of life
    const tell = async () => {
      const text = "text" in event ? this.#secrets.maskLine(task, event.text) : "";
      const masked = "text" in event ? { ...event, text: await maskSecrets(text) } : event;
      this.#onTask(task, masked);
      if (!("text" in masked)) return;
      this.#logs.add(task, at, masked.text);
      this.#onLogged(task);
    };
    // A failure to write a log does not end the run; `written` throws it.
    this.#last = this.#last.then(tell).catch((error: unknown) => {
      this.#fault ??= error;
    });
  }

  /** Waits until everything is written. */
  async written(): Promise<void> {
    for (const file of this.#statuses) file[Symbol.dispose]();
    await this.#last;
    if (this.#fault !== undefined) throw this.#fault;
  }
}

/** Other machines may have moved the base. Throws a `RemoteFault` if it is at a remote that fails. */
async function atBase(context: IntegrationContext, fleet: Fleet | undefined): Promise<IntegrationContext> {
  if (isFleet(context)) {
    const fresh = (await freshBase(context)) ?? context;
    await fleet?.seeBase(fresh.repository.baseCommit);
    return fresh;
  }
  const { root, baseRef, baseCommit } = context.repository;
  const now = (await readRef(root, baseRef)) ?? baseCommit;
  return { ...context, repository: { ...context.repository, baseCommit: now } };
}

/** Excludes the sessions' files from git, so that `git add -A` does not add them. */
function keepOutOfCommits(commonFolder: string): void {
  const file = join(commonFolder, "info", "exclude");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const line = `/${sessionsFolder}/`;
  if (text.split("\n").includes(line)) return;
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${text === "" || text.endsWith("\n") ? "" : "\n"}${line}\n`);
}
