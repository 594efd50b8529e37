import { clientsAbove, markedShell, sessionMarks } from "../../clients/agent-shell.ts";
import type { ProcessIdentity } from "../../core/leases/process-identity.ts";
import { runAtWork } from "../../server/run-at-work.ts";
import { currentFolder, findProject, type Project } from "../../workspace/files/find-project.ts";
import { orphanTop } from "../../workspace/process/orphan-process.ts";
import { lineageOf, type SeenProcess } from "../../workspace/process/process-ancestors.ts";
import { identityOf } from "../../workspace/process/process-identity.ts";
import { stateFolder } from "../../workspace/state/state-folder.ts";
import { namesOrchestrator } from "./caller.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The kind of process that runs a command, and the sign that it was recognised by. */
export type Caller =
  | { readonly kind: "person" }
  /** An agent that was started with a task: its variables say which. */
  | { readonly kind: "task"; readonly seen: string; readonly environment: Environment }
  /** An agent of a client: the ledger knows the task that was claimed from that client's process. */
  | {
      readonly kind: "agent";
      readonly seen: string;
      readonly process: ProcessIdentity;
      /** The environment of the client's process. */
      readonly environment: Environment;
      /** The client's session, if the client sets its id. */
      readonly session: string | undefined;
    }
  /** A program whose environment names it an orchestrator, outside of any client. */
  | { readonly kind: "orchestrator"; readonly seen: string };

/** Everything that the caller is recognised by. */
export interface Signs {
  readonly environment: Environment;
  /** From the parent upwards. */
  readonly ancestors: readonly SeenProcess[];
  /** The PID of the active run of this project. */
  readonly run: number | undefined;
  /** Whether stdin is a terminal; agents of a run have none. */
  readonly hasTerminal: boolean;
  /** Whether a process in that folder works in this project. */
  isHere(folder: string | undefined): boolean;
}

let known: Promise<Caller> | undefined;

/** The caller of this command, determined once. */
export function whoCalls(): Promise<Caller> {
  known ??= look();
  return known;
}

async function look(): Promise<Caller> {
  const project = orUndefined(() => findProject(currentFolder()));
  const lineage = lineageOf(process.pid);
  const caller = recognise({
    environment: process.env,
    ancestors: lineage.slice(1),
    run: project && orUndefined(() => runAtWork(stateFolder(project)))?.pid,
    hasTerminal: process.stdin.isTTY === true,
    isHere: (folder) => project === undefined || isAtWorkIn(project, folder),
  });
  return caller.kind === "person" && project !== undefined ? unlessOrphan(caller, project, lineage) : caller;
}

/** Errors are ignored here: the command itself will meet and report them. */
function orUndefined<Found>(find: () => Found): Found | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}

/** An orphaned process may belong to an agent that is at work. */
async function unlessOrphan(
  caller: Caller,
  project: Project,
  lineage: readonly SeenProcess[],
): Promise<Caller> {
  const startedMs = orphanTop(lineage)?.startedMs;
  if (startedMs === undefined) return caller;
  const task = await (await import("./at-work-since.ts")).atWorkSince(project, startedMs);
  if (task === undefined) return caller;
  const lost = "this process has no terminal, and its parent process has ended";
  return agent(`${lost}, while an agent is at work on \`${task}\``);
}

/**
 * A caller in the shell of a client is never a person. The task of an agent applies to every process below it, whatever
 * the command's own environment says or leaves out.
 */
export function recognise(signs: Signs): Caller {
  const { environment, ancestors, run } = signs;
  const started = startedWith(signs);
  if (started !== undefined) return started;
  const shell = findShell(signs);
  const own = environment.LOCKSTEP_TASK?.trim();
  if (own && (shell === undefined || environment.LOCKSTEP_TOKEN))
    return { kind: "task", seen: `this is an agent with a task: LOCKSTEP_TASK is ${own}`, environment };
  if (shell !== undefined) return shell;
  if (environment.LOCKSTEP_INSIDE)
    return agent("this process runs inside an agent's lock: LOCKSTEP_INSIDE is set");
  if (environment.LOCKSTEP_SOCKET) return agent("this is an agent in the sandbox: LOCKSTEP_SOCKET is set");
  // A key in the live view starts a command with the terminal of the person who pressed it.
  const isView = signs.hasTerminal && ancestors[0]?.pid === run;
  if (run !== undefined && !isView && ancestors.some(({ pid }) => pid === run))
    return agent(`this process was started by the active run, process ${run}`);
  return namesOrchestrator(environment)
    ? { kind: "orchestrator", seen: "this is an orchestrating agent: its environment says so" }
    : { kind: "person" };
}

/** An agent that a run of this project started, recognised by the topmost process with a task. */
function startedWith({ ancestors, isHere }: Signs): Caller | undefined {
  const given = ancestors.findLast(
    ({ environment: { LOCKSTEP_TASK, LOCKSTEP_TOKEN, LOCKSTEP_ROOT } }) =>
      LOCKSTEP_TASK && LOCKSTEP_TOKEN && LOCKSTEP_ROOT && isHere(LOCKSTEP_ROOT),
  );
  if (given === undefined) return undefined;
  const { pid, environment } = given;
  const seen = `LOCKSTEP_TASK is ${environment.LOCKSTEP_TASK} for its parent process ${pid}`;
  return { kind: "task", seen: `this is an agent with a task: ${seen}`, environment };
}

/** A client only counts in the project that it works in; its agents may use Lockstep in another project. */
function findShell({ environment, ancestors, isHere }: Signs): Caller | undefined {
  const clients = clientsAbove(ancestors);
  const above = clients.find(({ process }) => isHere(process?.folder));
  const marked = markedShell(environment);
  const found = above ?? marked;
  if (found === undefined) return undefined;
  const process = above?.process ?? clients[0]?.process;
  const [session] = [...ancestors.toReversed(), { environment }].flatMap((one) => sessionIn(one.environment));
  return agent(
    `this shell belongs to an agent of ${found.client}: ${(marked ?? found).sign}`,
    process,
    session,
  );
}

function sessionIn(environment: Environment): readonly string[] {
  return sessionMarks.flatMap((name) => environment[name]?.trim() || []);
}

/** One identity for all client processes that cannot be seen. */
const hidden: ProcessIdentity = { pid: 0, startedAt: "", boot: "" };

function agent(seen: string, process?: SeenProcess, session?: string): Caller {
  const identity = process === undefined ? undefined : identityOf(process.pid);
  const environment = process?.environment ?? {};
  return { kind: "agent", seen, process: identity ?? hidden, environment, session };
}

/** True if that cannot be determined. */
function isAtWorkIn(project: Project, folder: string | undefined): boolean {
  const other = folder === undefined ? undefined : orUndefined(() => findProject(folder));
  if (other?.commonFolder === undefined) return true;
  // A client that was started above the project can work in all folders below.
  return other.commonFolder === project.commonFolder || isAbove(other.place.realRoot, project);
}

function isAbove(folder: string | undefined, { place }: Project): boolean {
  return `${place.realRoot ?? place.root}/`.startsWith(`${folder}/`);
}
