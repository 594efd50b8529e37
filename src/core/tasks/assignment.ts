import type { Details } from "../rules/verdict.ts";
import { isObject, isStringList } from "../values/fields.ts";

/**
 * What an agent is allowed and asked to do (S0, S1). The keys are those of the document that it came in, so that it is
 * stored and printed as it was given. A field that is absent or null was not given.
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
  /** Named resources that it needs for itself. */
  readonly uses?: readonly string[] | null;
  /** Tests that a person has allowed the task to change. */
  readonly may_change_tests?: readonly string[] | null;
  /** Of a branch that any tool made: it became a task when it landed. */
  readonly branch?: string | null;
  /** What was given in another form than the above. */
  readonly unread?: Details;
}

/** That of a task in a plan: it has all that a dispatch asks for. */
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
 * From a document that another program gave, or that is stored: the one place that looks at its forms. A refused
 * packet is stored too, so a field of another form is set apart rather than lost: a retry has to change something.
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
