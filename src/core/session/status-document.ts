import { field } from "../values/fields.ts";
import { gateOf, shortDecisionId } from "./gate-ids.ts";
import type { Session } from "./session.ts";

/** The parts of a question to a person that status.json shows. */
export interface AskedQuestion {
  readonly id: string;
  readonly kind: string;
  readonly question: string;
  readonly data: unknown;
  readonly state: "pending" | "answered" | "cancelled" | "skipped";
  /** If cancelled or skipped: the reason. */
  readonly answer: string | null;
  readonly askedAt: string;
  readonly answeredAt: string | null;
}

/** The content of status.json (S4-065 to S4-077), with mode and blocker (A4-1). */
export function statusDocument(session: Session, decisions: readonly AskedQuestion[]): unknown {
  const { state, name, mode, blocker, correction, instructions } = session;
  return {
    current_state: state,
    session: name,
    mode,
    blocker:
      blocker === null
        ? null
        : {
            code: blocker.code,
            reason: blocker.reason,
            recovery: blocker.recovery,
            at: blocker.at,
            from_state: blocker.from,
          },
    assumptions: session.assumptions,
    user_decisions: decisions.map(decisionRecord),
    ...(correction.status === "none" && correction.last === null
      ? {}
      : {
          gate_tracking: {
            APPROVE_DESIGN: {
              correction_status: correction.status,
              last_correction_dispatch: {
                agent: correction.last?.agent ?? null,
                task_id: correction.last?.task ?? null,
                at: correction.last?.at ?? null,
              },
            },
          },
        }),
    ...(instructions === null
      ? {}
      : {
          runtime_flags: {
            copilot_instructions_exists: instructions.exists,
            copilot_checked_at: instructions.checkedAt,
          },
        }),
    retry_counts: session.repairs,
    known_issues: session.knownIssues,
    last_ci_result: session.ci,
    last_update: newest([session.updatedAt, ...decisions.flatMap(timesOf)]),
  };
}

function decisionRecord(decision: AskedQuestion) {
  const { id, kind, question, data, state, answer, askedAt, answeredAt } = decision;
  const isDropped = state === "cancelled" || state === "skipped";
  const context = gateOf(id) ?? field(data, "stateContext");
  return {
    decision_id: shortDecisionId(id),
    question,
    status: state,
    answer: state === "answered" ? answer : null,
    asked_at: askedAt,
    resolved_at: answeredAt,
    // Questions of tasks arise in IMPLEMENT_LOOP.
    state_context: typeof context === "string" ? context : "IMPLEMENT_LOOP",
    resolution_reason: isDropped ? answer?.trim() || state : null,
    ...(kind === "security" || field(data, "fromSecurity") === true ? { x_security: true } : {}),
  };
}

function timesOf({ askedAt, answeredAt }: AskedQuestion): readonly string[] {
  return answeredAt === null ? [askedAt] : [askedAt, answeredAt];
}

function newest(times: readonly string[]): string | undefined {
  return times.toSorted().at(-1);
}
