import { Scope } from "../../core/paths/scope.ts";
import { entryFrom } from "../../core/paths/stored-shape.ts";
import { type Fault, problemsOf } from "../../core/points/fault.ts";
import { factsOf, rules } from "../../core/points/post-execution.ts";
import { readSubmission, type Submission } from "../../core/reports/read-submission.ts";
import { decide } from "../../core/rules/rule.ts";
import { allow, type Deny, deny, type Verdict } from "../../core/rules/verdict.ts";
import { illegal } from "../../core/tasks/machine.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { TaskEvent } from "../../core/tasks/task-event.ts";
import type { Attempt } from "../../ledger/ledger.ts";
import type { Admitted } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { fencedTask } from "../change/fence.ts";
import { maskedInput } from "../change/masked-input.ts";
import { fingerprintOf, refusalOf } from "../change/refusals.ts";
import { type Settled, settle } from "../change/settle.ts";

export interface SubmitInput {
  readonly task: string;
  /** A result (S0), an agent's output (S4), a delegation output, error report or escalation (S1). */
  readonly document: unknown;
  /** Figures that Lockstep counted while the agent worked (S2-085). */
  readonly counts?: {
    readonly commits_count: number;
    readonly turns_used: number;
    /** Files that the agent claims to have changed but did not. */
    readonly unproven_claims?: readonly string[];
    /** Actions that the agent claims outside its tree. */
    readonly unproven_deeds?: readonly string[];
  };
}

/** PostExecution against the ledger, then REVIEW, or the state that the refusal leads to. */
export function submitResult(engine: Engine, input: SubmitInput, call: Admitted): Promise<Verdict> {
  return settle(engine, { operation: "submit", input, call }, () => decideSubmit(engine, input, call));
}

async function decideSubmit(engine: Engine, input: SubmitInput, call: Admitted): Promise<Settled> {
  const fenced = await fencedTask(engine, input.task, call);
  if ("allow" in fenced) return { verdict: fenced };
  const { task, attempt } = fenced;
  if (task.state !== "IN_PROGRESS") return { verdict: illegal(task, "submit") };
  const reported = {
    id: task.id,
    criteria: task.assignment?.acceptance_criteria ?? [],
    worklogPath: task.assignment?.worklog_path ?? undefined,
  };
  const result = await maskedInput(input.document);
  const read = withNotes(readSubmission(result, reported), readSubmission(input.document, reported));
  const draft = new Draft(engine, { by: call, cause: "submit" }).seen(fenced);
  const judged = await judge(engine, { task, attempt, read });
  const counts = (await maskedInput(input.counts)) as SubmitInput["counts"];
  const counted = counts === undefined ? result : { ...(result as object), ...counts };
  const moved = await draft.apply({ ...task, result: counted }, judged.event);
  if ("allow" in moved) return { verdict: moved };
  const details = { task_id: task.key, state: moved.state };
  const verdict = judged.refused === undefined ? allow(details) : withState(judged.refused, details);
  return { verdict, change: await draft.toChange() };
}

type Reading = Handed["read"];

/** The submission is judged with secrets masked, except for the notes: a rule checks that they contain none. */
function withNotes(masked: Reading, original: Reading): Reading {
  if ("error" in masked || masked.kind !== "result") return masked;
  if ("error" in original || original.kind !== "result") return masked;
  const { notes_for_orchestrator } = original.result;
  return { ...masked, result: { ...masked.result, notes_for_orchestrator } };
}

interface Judged {
  readonly event: TaskEvent;
  readonly refused?: Deny;
}

interface Handed {
  readonly task: Task;
  readonly attempt: Attempt | undefined;
  readonly read: Submission | Fault;
}

async function judge(engine: Engine, { task, attempt, read }: Handed): Promise<Judged> {
  if ("error" in read) return denied(deny("R-PO-001", problemsOf(read).join("; "), { field: read.field }));
  if (read.kind === "escalation") {
    const { reason, attemptedPaths, blockers } = read;
    const tried = attemptedPaths.length > 0 ? `; tried: ${attemptedPaths.join("; ")}` : "";
    const missing = blockers.length > 0 ? `; blockers: ${blockers.join("; ")}` : "";
    return { event: { type: "escalate", reason: `${reason}${tried}${missing}`, recommendation: null } };
  }
  if (read.kind === "error")
    return reported(read.report.errorType, read.report.message, { report: read.report });
  const verdict = await judgeResult(engine, { task, attempt, read });
  if (!verdict.allow) return denied(verdict);
  if (read.status === "done") return { event: { type: "submit", hasEvidence: true } };
  return reported(read.status, read.reason ?? `the agent reported \`${read.status}\``, {});
}

/** Applies PostExecution's rules to a result, with the task's data from the ledger. */
export async function judgeResult(
  { ledger, world, findSecrets }: Pick<Engine, "ledger" | "world" | "findSecrets">,
  {
    task,
    attempt,
    read,
  }: {
    task: Task;
    attempt: Attempt | undefined;
    read: Pick<Extract<Submission, { kind: "result" }>, "result" | "agentForm">;
  },
): Promise<Verdict> {
  const payload = {
    task_id: task.key,
    session: task.session,
    result: read.result,
    assignment: { ...task.assignment, worklog_size: attempt?.worklogBytes ?? 0 },
  };
  const reading = factsOf(payload, { ...world, findSecrets });
  if ("problem" in reading) return decide(rules, reading);
  // Uses the locked paths, not what the same names resolve to now: a symbolic link may have changed since.
  const locks = (await ledger.locks({ task: task.key, active: true })).filter(({ kind }) => kind === "path");
  const lock = new Scope(
    locks.map(({ resource, shapes }) => entryFrom(resource, shapes)),
    world.place,
  );
  const facts = { ...reading.facts, limits: { ...reading.facts.limits, lock } };
  // An agent's own output has no evidence: Lockstep produces it when the task is completed.
  return decide(rules, { facts: read.agentForm ? { ...facts, acceptance: undefined } : facts });
}

/** A blocker outside the task costs no retry; a failure of the agent does. */
function reported(word: string, message: string, details: object): Judged {
  const refusal =
    word === "blocked"
      ? { code: null, reason: message, details: { ...details } }
      : {
          code: "R-AG-001" as const,
          reason: `the agent failed${word === "runtime" ? "" : ` (${word})`}: ${message}`,
          details: { ...details },
        };
  const type = word === "blocked" ? "block" : "deny";
  return { event: { type, refusal, fingerprint: fingerprintOf(refusal) } };
}

function denied(refused: Deny): Judged {
  const refusal = refusalOf(refused);
  return { event: { type: "deny", refusal, fingerprint: fingerprintOf(refusal) }, refused };
}

function withState(refused: Deny, details: object): Deny {
  return { ...refused, details: { ...refused.details, ...details } };
}
