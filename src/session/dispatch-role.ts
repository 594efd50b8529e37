import { type RoleAnswer, readRoleAnswer } from "../clients/answer/read-role-answer.ts";
import { promptForRole } from "../clients/input/prompt.ts";
import { universalInput } from "../clients/input/universal-input.ts";
import { sessionPath } from "../core/names/session-paths.ts";
import { metaId } from "../core/names/task-name.ts";
import { contextFilesFor } from "../core/session/context-files.ts";
import { roleFiles } from "../core/session/role-files.ts";
import type { Purpose, Session } from "../core/session/session.ts";
import type { Started } from "../engine/dispatch-task.ts";
import type { Call } from "../engine/engine.ts";
import { operate } from "../engine/operate.ts";
import { putBack } from "../engine/refuse-attempt.ts";
import { askForAnswer, type Unanswered } from "../run/attempt/ask-for-answer.ts";
import { Heartbeats } from "../run/attempt/heartbeats.ts";
import { openReviewPlace } from "../run/attempt/review-place.ts";
import type { RunContext, RunTask } from "../run/attempt/run-context.ts";
import { lendSession } from "../run/attempt/session-files.ts";
import { awaitAgentsEnd } from "../run/conduct/take-over.ts";
import { endAgentProcesses } from "../workspace/agent-processes.ts";
import { decidedBefore } from "./decided-before.ts";
import { judgeFiles, type SessionFiles } from "./judge-files.ts";
import { judgeWish } from "./judge-wish.ts";
import { filesOf } from "./look-up.ts";
import { metaTask } from "./meta-task.ts";
import type { SessionContext } from "./session-context.ts";
import { listSessionFiles, readSessionFile } from "./session-files.ts";
import { keepWritten, readWritten, type Written } from "./take-in-files.ts";

export interface RoleWish {
  readonly role: string;
  readonly purpose: Purpose;
  /** What it is to do, in a sentence. */
  readonly goal: string;
  /** What is wrong with what it has written; the files are as they would be taken in. */
  judge(files: SessionFiles): readonly string[];
}

/** As much of an answer as decides how a session goes on. */
export interface RoleSaid
  extends Pick<RoleAnswer, "status" | "summary" | "findings" | "questions" | "filesToUpdate"> {
  readonly next: { readonly agent: string };
}

export type RoleEnd =
  | { readonly how: "answered"; readonly answer: RoleSaid }
  /** A file that it needs is not there (S4-058), or is not what it should be (S4-166): nobody was asked. */
  | { readonly how: "missing"; readonly files: readonly string[] }
  | { readonly how: "invalid"; readonly faults: readonly string[] }
  | { readonly how: "unanswered"; readonly why: Unanswered };

const judgedFiles = {
  "spec.md": "spec",
  "acceptance.json": "acceptance",
  "architecture.md": "architecture",
  "tasks.yaml": "plan",
} as const;

/** What is wrong with the files that a role would build on. */
export function judgeGiven(context: RunContext, files: readonly string[]): readonly string[] {
  const given = Object.entries(judgedFiles).filter(([name]) =>
    files.some((file) => file.endsWith(`/${name}`)),
  );
  return judgeFiles(
    context,
    filesOf(context),
    given.map(([, condition]) => condition),
  );
}

/** Lets a role write its files of the session: in a copy, inside its lock, and only what counts is taken in. */
export async function dispatchRole(
  sessionContext: SessionContext,
  session: Session,
  wish: RoleWish,
): Promise<RoleEnd> {
  const { context, roles, name } = sessionContext;
  const { engine, call, repository } = context;
  const present = listSessionFiles(repository.root, name);
  const { files, missing } = contextFilesFor(wish.role, name, present);
  if (missing.length > 0) return { how: "missing", files: missing };
  const faults = judgeGiven(context, files);
  if (faults.length > 0) return { how: "invalid", faults };
  const agentName = roles.agentOf(wish.role);
  await sessionContext.move({ type: "dispatch", dispatched: { ...wish, agent: agentName } });
  const task = metaTask(name, {
    ...{ goal: wish.goal, title: `${wish.role}: ${wish.purpose}`, agent: agentName, contextFiles: files },
    files: roleFiles(wish.purpose, name, wish.role),
    constraints: await decidedBefore(engine, name),
  });
  await freeMeta(sessionContext, task.key);
  const before = await engine.ledger.task(task.key);
  const previous = await engine.ledger.attempt(task.key);
  // What a dead process left behind must not go on beside it.
  if (previous !== undefined && previous.runner?.pid !== process.pid) await awaitAgentsEnd(engine, previous);
  const packet = { ...task.packet, context_revision: (before?.contextRevision ?? 0) + 1 };
  const dispatched = await operate(engine, "dispatch", { packet, runnerPid: process.pid }, call);
  if (!dispatched.allow)
    return {
      how: "unanswered",
      why: { how: "failed", unanswered: `${dispatched.code}: ${dispatched.reason}` },
    };
  const started = dispatched.details;
  const own: Call = { ...call, epoch: started.epoch };
  context.secrets.add(started.token);
  try {
    return await work(sessionContext, session, { wish, task, started, own });
  } finally {
    // It may be over already: halted by its budget, or stopped by a person.
    await putBack(engine, { task: task.key, reason: `${wish.role} is done` }, own);
  }
}

/** Where the role before was halted or stopped, that ends with it. */
async function freeMeta({ context: { engine, call } }: SessionContext, key: string): Promise<void> {
  const task = await engine.ledger.task(key);
  const note = "another role is asked";
  if (task?.state === "ESCALATED") await operate(engine, "task-resolve", { task: key, note }, call);
  if (task?.state === "BLOCKED") await operate(engine, "task-retry", { task: key }, call);
}

interface Working {
  readonly wish: RoleWish;
  readonly task: RunTask;
  readonly started: Started;
  readonly own: Call;
}

async function work(
  sessionContext: SessionContext,
  session: Session,
  { wish, task, started, own }: Working,
): Promise<RoleEnd> {
  const { context, stops } = sessionContext;
  const { repository, socket } = context;
  const at = (await context.atBase()).repository.baseCommit;
  const agent = context.agents.get(task.agent);
  using place = await openReviewPlace(context, {
    ...{ task: metaId, attempt: started.attempt, base: at, commit: at, agent },
    ...(socket === undefined ? {} : { socket }),
  });
  const say = (text: string) => context.onTask(task.key, { type: "said", text });
  place.notes.forEach(say);
  lendSession(context, place.checkout);
  const heartbeats = new Heartbeats(context, { task: task.key, call: own, stop: stops.atOnce });
  const input = inputFor(sessionContext, session, { wish, task, started, own });
  let written: Written | undefined;
  const found = await askForAnswer(context, {
    ...{ agent, place, input },
    prompt: promptForRole(input, {
      role: wish.role,
      purpose: wish.purpose,
      files: task.plan.lock_scope,
      root: repository.root,
    }),
    env: {
      LOCKSTEP_TASK: task.key,
      LOCKSTEP_EPOCH: String(started.epoch),
      LOCKSTEP_TOKEN: started.token,
      LOCKSTEP_ROOT: repository.root,
      LOCKSTEP_CHECKOUT: place.checkout.folder,
      ...(socket === undefined ? {} : { LOCKSTEP_SOCKET: socket }),
    },
    onEvent: (event) => {
      context.onTask(task.key, event);
      heartbeats.see(event);
    },
    follow: (stop) => heartbeats.follow(stop),
    read: async (answer) => {
      const read = readRoleAnswer(answer, { role: wish.role });
      if ("invalid" in read) return read;
      written = await readWritten(context, place.checkout, task.plan.lock_scope);
      const faults = read.status === "OK" ? wish.judge(reader(sessionContext, written)) : [];
      return faults.length === 0 ? read : { invalid: faults.join("\n") };
    },
    say,
  });
  await heartbeats.finish();
  if (!place.walled) await endAgentProcesses(started.token);
  if (heartbeats.fault !== undefined) throw heartbeats.fault;
  if (heartbeats.lost !== undefined && "unanswered" in found)
    return { how: "unanswered", why: { how: "failed", unanswered: heartbeats.lost.reason } };
  if ("unanswered" in found) return { how: "unanswered", why: found };
  if (written !== undefined) await takeIn(sessionContext, wish.role, written);
  return { how: "answered", answer: found };
}

/** The session's files as they would be with what was written. */
function reader({ context, name }: SessionContext, { files }: Written): SessionFiles {
  const { root } = context.repository;
  return {
    read: (file) => files.get(file) ?? readSessionFile(root, name, file),
    list: () => [...new Set([...listSessionFiles(root, name), ...files.keys()])],
  };
}

const strayedMax = 5;

async function takeIn(sessionContext: SessionContext, role: string, written: Written): Promise<void> {
  const { context, say } = sessionContext;
  keepWritten(context, written.files);
  for (const name of written.strayed.slice(0, strayedMax))
    say(`${role} wrote ${name}, which is not its file: nothing of that is kept`);
  if (written.strayed.length > strayedMax)
    say(`${role} wrote ${written.strayed.length - strayedMax} more files that are not its own`);
  for (const one of written.wishes) await judgeWish(sessionContext, { role, task: null, wish: one });
}

function inputFor({ context, name }: SessionContext, session: Session, { wish, task, started }: Working) {
  const { config, repository } = context;
  return universalInput(task.plan, {
    assignment: task.packet.assignment,
    role: wish.role,
    attempt: started.attempt,
    fixDelta: null,
    branch: repository.base,
    projectType: config.project_type,
    ciStatus: session.ci,
    lastFailedStep: session.failedStep,
    artifacts: [...listSessionFiles(repository.root, name)].map((file) => sessionPath(name, file)),
  });
}
