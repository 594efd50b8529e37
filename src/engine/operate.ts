import { type OperationName, operations } from "../contract/operations.ts";
import { isMeta, sessionOfKey } from "../core/names/task-name.ts";
import type { BreakerMode } from "../core/rules/breaker.ts";
import { type Deny, deny } from "../core/rules/verdict.ts";
import { field } from "../core/values/fields.ts";
import { completeTask } from "./attempts/complete-task.ts";
import { heartbeat } from "./attempts/heartbeat.ts";
import { recordForAttempt } from "./attempts/record-violation.ts";
import { releaseTask } from "./attempts/release-task.ts";
import { runWatchdog } from "./attempts/run-watchdog.ts";
import { submitResult } from "./attempts/submit-result.ts";
import { takeTask } from "./attempts/take-task.ts";
import { setBreaker } from "./change/breaker.ts";
import { type Admitted, admit } from "./change/door.ts";
import { type Call, type Engine, isOwner } from "./change/engine.ts";
import { checkFence } from "./change/fence.ts";
import { listLocks } from "./change/list-locks.ts";
import { answerDecision } from "./decisions/answer-decision.ts";
import { openDecisions } from "./decisions/open-decisions.ts";
import { widenScope } from "./decisions/widen-scope.ts";
import { dispatchTask } from "./dispatch/dispatch-task.ts";
import { drainMachine, forgetMachine, listMachines } from "./machines/change-machine.ts";
import { addTask } from "./tasks/add-task.ts";
import { cancelTask, escalateTask, resolveTask, retryTask, stopTask } from "./tasks/move-task.ts";
import { readGuardFacts } from "./views/guard-facts.ts";
import { readStatus } from "./views/read-status.ts";
import { reconcile } from "./views/reconcile.ts";

type Reason = { readonly reason?: string };

/** The use case of each operation; the contract lists its permitted callers. */
const handlers = {
  status: (engine: Engine, input: Parameters<typeof readStatus>[1]) => readStatus(engine, input),
  "task-list": async (engine: Engine, _input: object) => (await readStatus(engine)).tasks,
  "task-show": async (engine: Engine, { task }: { readonly task: string }) =>
    (await readStatus(engine, { task })).tasks.at(0),
  "task-add": addTask,
  "task-retry": retryTask,
  "task-escalate": escalateTask,
  "task-resolve": resolveTask,
  "task-cancel": cancelTask,
  stop: stopTask,
  take: takeTask,
  dispatch: dispatchTask,
  heartbeat,
  submit: submitResult,
  complete: completeTask,
  release: releaseTask,
  widen: widenScope,
  "lock-list": (engine: Engine, input: Parameters<typeof listLocks>[1]) => listLocks(engine, input),
  watchdog: (engine: Engine, _input: object) => runWatchdog(engine),
  reconcile: (engine: Engine, _input: object) => reconcile(engine),
  decisions: (engine: Engine, input: { readonly all?: boolean }) =>
    input.all === true ? engine.ledger.decisions() : openDecisions(engine),
  decide: answerDecision,
  "audit-list": ({ ledger }: Engine, input: Parameters<Engine["ledger"]["events"]>[0]) =>
    ledger.events(input),
  "audit-verify": ({ ledger }: Engine, _input: object) => ledger.verify(),
  pause: (engine: Engine, { reason }: Reason, call: Admitted) =>
    setBreaker(engine, withReason("PAUSE", reason), call),
  "stop-all": (engine: Engine, { reason }: Reason, call: Admitted) =>
    setBreaker(engine, withReason("STOP", reason), call),
  clear: (engine: Engine, { reason }: Reason, call: Admitted) =>
    setBreaker(engine, withReason("CLEAR", reason), call),
  "machine-list": (engine: Engine, _input: object) => listMachines(engine),
  "machine-drain": drainMachine,
  "machine-forget": forgetMachine,
  "guard-facts": (engine: Engine, _input: { readonly task?: string }) => readGuardFacts(engine),
  "guard-record": recordForAttempt,
} as const satisfies Record<
  OperationName,
  (engine: Engine, input: never, call: Admitted) => Promise<unknown>
>;

type Handlers = typeof handlers;
export type InputOf<Name extends OperationName> = Parameters<Handlers[Name]>[1];
export type AnswerOf<Name extends OperationName> = Awaited<ReturnType<Handlers[Name]>>;

/** The entry point of all interfaces. Lockstep's own processes also use internal operations (door.ts). */
export async function operate<Name extends OperationName>(
  engine: Engine,
  name: Name,
  input: InputOf<Name>,
  call: Call,
): Promise<AnswerOf<Name> | Deny> {
  const refused = findTooDeep(input) ?? (await whyRefused(engine, name, input, call));
  if (refused !== undefined) return refused;
  const handler = handlers[name] as (
    engine: Engine,
    input: unknown,
    call: Admitted,
  ) => Promise<AnswerOf<Name>>;
  return handler(engine, input, admit(call));
}

const depthMax = 400;

/** Limits the depth of documents, because the code behind this function walks them recursively. */
function findTooDeep(input: unknown): Deny | undefined {
  let level: unknown[] = [input];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > depthMax) return deny("R-IN-001", `the document is nested deeper than ${depthMax} levels`);
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null ? Object.values(value) : [],
    );
  }
  return undefined;
}

async function whyRefused(
  engine: Engine,
  name: OperationName,
  input: unknown,
  call: Call,
): Promise<Deny | undefined> {
  const { callers, fenced } = { fenced: false, ...operations[name] };
  const { task, packet } = input as { readonly task?: string; readonly packet?: unknown };
  const foreign = call.role === "attempt" && fenced && task !== undefined && call.task !== task;
  if (callers.some((caller) => caller === call.role) && !foreign)
    return isOwner(call) ? whyNotCancelled(name, task) : whyNotMeta(name, task ?? field(packet, "task_id"));
  // A stale agent gets the stale error before a permission error.
  if (fenced && task !== undefined && !foreign) {
    const stale = checkFence(engine, task, await engine.ledger.attempt(task), call);
    if (stale !== undefined) return stale;
  }
  if (foreign)
    return deny("R-AU-001", `this agent works on task \`${call.task}\`, not on \`${task}\``, {
      caller: call.role,
    });
  const who = `${article[call.role]}${call.seen === undefined ? "" : ` (${call.seen})`}`;
  const isForTask = call.role === "subagent" && callers.some((caller) => caller === "attempt");
  const way = isForTask
    ? "claim your task with `lockstep claim TASK`, alone on its line, or ask a person to do it in their own terminal"
    : "ask a person to do it in their own terminal";
  return deny("R-AU-001", `\`${name}\` is not allowed for ${who}: ${way}`, {
    caller: call.role,
    operation: name,
    callers,
  });
}

/** Without this task, no role of the session could be dispatched. */
function whyNotCancelled(name: OperationName, task: string | undefined): Deny | undefined {
  if (name !== "task-cancel" || task === undefined || !isMeta(task)) return undefined;
  const session = sessionOfKey(task);
  const way = `\`lockstep resume ${session} --abandon REASON\` abandons the session, \`lockstep stop ${task}\` stops its agent`;
  return deny("R-ST-001", `\`${task}\` is the task of a session and cannot be cancelled: ${way}`, {
    task_id: task,
  });
}

/** A session starts and ends the work of its roles: a change by an agent would leave the session stuck. */
function whyNotMeta(name: OperationName, task: unknown): Deny | undefined {
  const isClosed = name === "task-escalate" || name === "widen" || name === "submit" || name === "dispatch";
  if (!isClosed || typeof task !== "string" || !isMeta(task.trim())) return undefined;
  const reason = `\`${name}\` is not allowed for a role of a session: finish with your answer, and say BLOCKED in it if you cannot continue`;
  return deny("R-AU-001", reason, { task_id: task });
}

const article = {
  person: "people",
  orchestrator: "an orchestrating agent",
  attempt: "an agent with a task",
  subagent: "an agent without a task",
  runner: "a run",
  guard: "the guard",
  system: "Lockstep itself",
};

function withReason(mode: BreakerMode, reason: string | undefined) {
  return reason === undefined ? { mode } : { mode, reason };
}
