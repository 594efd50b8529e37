import { parseIsoTime } from "../points/iso-time.ts";
import { field, isObject, isStringList, isText } from "../values/fields.ts";
import { readApproval, readStrategy } from "./gate-answers.ts";
import { gateOf } from "./gate-ids.ts";
import { repairLoops, sessionStates } from "./states.ts";

/** The errors in a status.json, each with its key. Unknown keys are not errors (see `unknownKeys`). */
export function judgeStatusDocument(value: unknown): readonly string[] {
  if (!isObject(value)) return ["status.json is not a JSON object"];
  const at = (name: string) => field(value, name);
  return [
    ...wrong("current_state", isOneOf(at("current_state"), sessionStates), "is none of the sixteen states"),
    ...wrong("session", isText(at("session")), "is missing"),
    ...wrong("assumptions", isStringList(at("assumptions")), "is not a list of strings"),
    ...wrong("known_issues", isStringList(at("known_issues")), "is not a list of strings"),
    ...wrong("last_ci_result", isOneOf(at("last_ci_result"), ciResults), "is not unknown, green or red"),
    ...wrong("last_update", isTime(at("last_update")), "is not an ISO 8601 time"),
    ...wrong(
      "mode",
      isAbsentOr(at("mode"), (mode) => isOneOf(mode, modes)),
      "is not full or lean",
    ),
    ...judgeBlocker(at("blocker"), at("current_state")),
    ...judgeDecisions(at("user_decisions")),
    ...judgeTracking(at("gate_tracking")),
    ...judgeFlags(at("runtime_flags")),
    ...judgeRetries(at("retry_counts")),
  ];
}

const knownKeys = [
  ...["current_state", "session", "mode", "blocker", "assumptions", "user_decisions", "gate_tracking"],
  ...["runtime_flags", "retry_counts", "known_issues", "last_ci_result", "last_update"],
];

/** Keys of older files, such as `completed_tasks`: only tasks.yaml has the status of tasks (S4-075). */
export function unknownKeys(value: unknown): readonly string[] {
  return isObject(value) ? Object.keys(value).filter((key) => !knownKeys.includes(key)) : [];
}

const ciResults = ["unknown", "green", "red"];
const modes = ["full", "lean"];
const decisionStates = ["pending", "answered", "cancelled", "skipped"];
const corrections = ["none", "queued", "dispatched", "completed"];
const correctors = ["SpecAgent", "Architect", "Designer"];

function judgeBlocker(blocker: unknown, state: unknown): readonly string[] {
  // Older files do not have this key.
  if (blocker === undefined) return [];
  if (!isObject(blocker)) return ["`blocker` is not an object"];
  return [
    ...["code", "reason", "recovery"].flatMap((name) =>
      wrong(`blocker.${name}`, isText(field(blocker, name)), "is missing"),
    ),
    ...wrong("blocker.at", isTime(field(blocker, "at")), "is not an ISO 8601 time"),
    ...wrong("blocker.from_state", isOneOf(field(blocker, "from_state"), sessionStates), "is not a state"),
    ...wrong("blocker", state === "BLOCKED", "is present although the session is not BLOCKED"),
  ];
}

function judgeDecisions(list: unknown): readonly string[] {
  if (!Array.isArray(list)) return ["`user_decisions` is not a list"];
  const ids = list.map((one) => field(one, "decision_id"));
  const twice = ids.filter((id, index) => id !== undefined && ids.indexOf(id) !== index);
  return [
    ...list.flatMap((one: unknown, index) => judgeDecision(one, `user_decisions[${index}]`)),
    ...twice.map((id) => `\`user_decisions\` has ${String(id)} twice`),
  ];
}

function judgeDecision(one: unknown, name: string): readonly string[] {
  const at = (key: string) => field(one, key);
  const [id, state] = [at("decision_id"), at("status")];
  const gate = typeof id === "string" ? gateOf(id) : undefined;
  const isKnownId = typeof id === "string" && /^UD-(?:\d+|APPROVE-DESIGN|REVIEW-STRATEGY)$/.test(id);
  return [
    ...wrong(`${name}.decision_id`, isKnownId, "is not UD-<N> or one of the two gates"),
    ...wrong(`${name}.question`, isText(at("question")), "is missing"),
    ...wrong(`${name}.status`, isOneOf(state, decisionStates), `is none of ${decisionStates.join(", ")}`),
    ...wrong(`${name}.asked_at`, isTime(at("asked_at")), "is not an ISO 8601 time"),
    ...wrong(`${name}.state_context`, isOneOf(at("state_context"), sessionStates), "is not a state"),
    ...wrong(`${name}.state_context`, gate === undefined || at("state_context") === gate, `is not ${gate}`),
    ...judgeResolution(at, { state, name }),
    ...(gate === undefined || state !== "answered" ? [] : judgeGateAnswer(at("answer"), { gate, name })),
  ];
}

/** Which fields a decision has in each status (S4-119 to S4-121). */
function judgeResolution(
  at: (key: string) => unknown,
  { state, name }: { readonly state: unknown; readonly name: string },
): readonly string[] {
  if (state === "pending")
    return ["answer", "resolved_at", "resolution_reason"].flatMap((key) =>
      wrong(`${name}.${key}`, at(key) === undefined, "is not null although the decision is pending"),
    );
  const resolved = wrong(`${name}.resolved_at`, isTime(at("resolved_at")), "is not an ISO 8601 time");
  if (state === "answered")
    return [
      ...resolved,
      ...wrong(`${name}.answer`, isText(at("answer")), "is empty although the decision is answered"),
    ];
  const hasReason = isText(at("resolution_reason"));
  return [
    ...resolved,
    ...wrong(
      `${name}.resolution_reason`,
      hasReason,
      "is missing: give the reason why the decision has no answer",
    ),
  ];
}

/** The answers that the two gates accept (S4-100 to S4-105). */
function judgeGateAnswer(
  answer: unknown,
  { gate, name }: { readonly gate: "APPROVE_DESIGN" | "REVIEW_STRATEGY"; readonly name: string },
): readonly string[] {
  if (typeof answer !== "string") return [];
  const kept = gate === "APPROVE_DESIGN" ? readApproval(answer)?.answer : readStrategy(answer);
  return wrong(`${name}.answer`, kept === answer, `is not a valid answer at ${gate}`);
}

/** A missing status counts as `none` (S4-076, S4-077). */
function judgeTracking(tracking: unknown): readonly string[] {
  const gate = field(tracking, "APPROVE_DESIGN");
  const name = "gate_tracking.APPROVE_DESIGN";
  const last = field(gate, "last_correction_dispatch");
  const optional = (key: string, isRight: (value: unknown) => boolean, problem: string) =>
    wrong(`${name}.last_correction_dispatch.${key}`, isAbsentOr(field(last, key), isRight), problem);
  return [
    ...wrong("gate_tracking", isAbsentOr(tracking, isObject), "is not an object"),
    ...wrong(name, isAbsentOr(gate, isObject), "is not an object"),
    ...wrong(
      `${name}.correction_status`,
      isAbsentOr(field(gate, "correction_status"), (status) => isOneOf(status, corrections)),
      `is none of ${corrections.join(", ")}`,
    ),
    ...wrong(`${name}.last_correction_dispatch`, isAbsentOr(last, isObject), "is not an object"),
    ...optional("agent", (agent) => isOneOf(agent, correctors), `is none of ${correctors.join(", ")}`),
    ...optional("task_id", (task) => task === "meta", "is not meta"),
    ...optional("at", isTime, "is not an ISO 8601 time"),
  ];
}

function judgeFlags(flags: unknown): readonly string[] {
  if (flags === undefined) return [];
  const exists = field(flags, "copilot_instructions_exists");
  return [
    ...wrong(
      "runtime_flags.copilot_instructions_exists",
      typeof exists === "boolean",
      "is not true or false",
    ),
    ...wrong(
      "runtime_flags.copilot_checked_at",
      isTime(field(flags, "copilot_checked_at")),
      "is not an ISO 8601 time",
    ),
  ];
}

function judgeRetries(counts: unknown): readonly string[] {
  if (!isObject(counts)) return ["`retry_counts` is not an object"];
  return Object.entries(counts).flatMap(([task, loops]) =>
    repairLoops.flatMap((loop) => {
      const count = field(loops, loop);
      const isCount = Number.isSafeInteger(count) && (count as number) >= 0;
      return wrong(`retry_counts.${task}.${loop}`, isCount, "is not a number of repairs");
    }),
  );
}

function wrong(key: string, isRight: boolean, problem: string): readonly string[] {
  return isRight ? [] : [`\`${key}\` ${problem}`];
}

function isOneOf(value: unknown, words: readonly string[]): boolean {
  return typeof value === "string" && words.includes(value);
}

function isTime(value: unknown): boolean {
  return parseIsoTime(value) !== undefined;
}

function isAbsentOr(value: unknown, isRight: (value: unknown) => boolean): boolean {
  return value === undefined || isRight(value);
}
