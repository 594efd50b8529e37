import type { Details } from "../rules/verdict.ts";
import { isObject, isStringList } from "../values/fields.ts";

/**
 * What a task's agent may and should do (S0, S1). The keys are those of the original document, so that it is stored and
 * printed unchanged. A field that is absent or null was not given.
 */
export interface Assignment extends Details {
  readonly lock_scope?: readonly string[] | null;
  readonly forbidden_scope?: readonly string[] | null;
  readonly acceptance_criteria?: readonly string[] | null;
  readonly worklog_path?: string | null;
  readonly timeout_seconds?: number | null;
  readonly heartbeat_interval_seconds?: number | null;
  readonly objective?: string | null;
  /** Commands that must fail before the work and pass after it. */
  readonly proves?: readonly string[] | null;
  /** Named resources that the task needs exclusively. */
  readonly uses?: readonly string[] | null;
  /** Tests that a person has allowed the task to change. */
  readonly may_change_tests?: readonly string[] | null;
  /** Set if the task was created by landing this branch. */
  readonly branch?: string | null;
  /** Fields whose values have the wrong type. */
  readonly unread?: Details;
}

/** The assignment of a planned task: it has every field that a dispatch requires. */
export interface PlannedAssignment extends Assignment {
  readonly lock_scope: readonly string[];
  readonly forbidden_scope: readonly string[];
  readonly acceptance_criteria: readonly string[];
  readonly worklog_path: string;
  readonly timeout_seconds: number;
  readonly heartbeat_interval_seconds: number;
  readonly objective: string;
  readonly forbidden_actions: readonly string[];
  readonly evidence: readonly string[];
}

const isString = (value: unknown) => typeof value === "string";
const isNumber = (value: unknown) => typeof value === "number";

const forms: readonly (readonly [keyof Assignment, (value: unknown) => boolean])[] = [
  ["lock_scope", isStringList],
  ["forbidden_scope", isStringList],
  ["acceptance_criteria", isStringList],
  ["worklog_path", isString],
  ["timeout_seconds", isNumber],
  ["heartbeat_interval_seconds", isNumber],
  ["objective", isString],
  ["proves", isStringList],
  ["uses", isStringList],
  ["may_change_tests", isStringList],
  ["branch", isString],
];

/**
 * Reads a document from another program or from the ledger; the only place that checks its types. A refused packet is
 * stored too, so a field of the wrong type is kept in `unread`: a retry has to differ from it.
 */
export function readAssignment(document: unknown): Assignment {
  if (!isObject(document)) return {};
  const isRight = ([name, form]: (typeof forms)[number]) => document[name] == null || form(document[name]);
  if (forms.every(isRight)) return document;
  const wrong = new Set<unknown>(forms.filter((one) => !isRight(one)).map(([name]) => name));
  const entries = Object.entries(document);
  return {
    ...Object.fromEntries(entries.filter(([name]) => !wrong.has(name))),
    unread: Object.fromEntries(entries.filter(([name]) => wrong.has(name))),
  };
}
