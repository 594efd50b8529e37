import fc from "fast-check";
import type { PointName } from "../../src/core/points/points.ts";
import { isPointName } from "../../src/core/points/points.ts";
import { hookVectors } from "./hook-vectors.ts";

export interface PointCall {
  readonly point: PointName;
  readonly payload: unknown;
}

const worklog = "worklogs/T-123.md";
const scopes = { lock_scope: ["src", "docs/**"], forbidden_scope: ["src/secret"], worklog_path: worklog };
const check = { criterion: "tests pass", status: "pass", evidence: "npm test" };

/** Allowed calls with the fields that the vectors omit. */
const richCalls: readonly PointCall[] = [
  {
    point: "PreWrite",
    payload: {
      task_id: "T-123",
      session: "today",
      assignment: scopes,
      write: { resource: worklog, action: "append" },
      writes: [{ resource: "docs/a.md", action: "delete" }],
    },
  },
  {
    point: "PostExecution",
    payload: {
      task_id: "T-123",
      result: {
        status: "OK",
        summary: "done",
        artifacts: { files_changed: ["src/a.py"], notes: ["none"] },
      },
      acceptance_check: [check],
      assignment: { ...scopes, worklog_size: 1, acceptance_criteria: ["tests pass"] },
    },
  },
  {
    point: "PostExecution",
    payload: {
      task_id: "T-123",
      result: { status: "blocked", changes: [], acceptance_check: [], notes_for_orchestrator: [] },
      assignment: scopes,
    },
  },
];

const vectorCalls = hookVectors.flatMap(({ hook, payload, code }) =>
  isPointName(hook) && payload !== null ? [{ point: hook, payload, allowed: code === "OK" }] : [],
);

/** Mostly allowed calls: rules and schemas could disagree on calls that differ little from them. */
const seed: fc.Arbitrary<PointCall> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...richCalls, ...vectorCalls.filter(({ allowed }) => allowed)) },
  { weight: 1, arbitrary: fc.constantFrom(...vectorCalls) },
);

/** Values at the limits of the rules. */
const oddValue = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom("", " ", ".", "..", "src", "src/**", "*", "/", "~", "a\u0000b", "x\ny"),
  },
  { weight: 2, arbitrary: fc.constantFrom("\u2028", "\ud800", "__proto__", "constructor", "a".repeat(5000)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom("pass", "OK", "done", "DONE", "In-Progress", "2026-02-14T20:00:00Z"),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(null, true, false, 0, -1, 1, 1.5, 2 ** 53, 1e308, [], {}),
  },
  { weight: 2, arbitrary: fc.jsonValue() },
);

const optionalName = fc.constantFrom(
  ...["session", "worklog_path", "worklog_size", "acceptance_criteria", "acceptance_check", "writes"],
  ...["objective", "evidence", "forbidden_actions", "timeout_seconds", "last_heartbeat_at", "__proto__"],
);

interface Step {
  readonly at: number;
  readonly how: "replace" | "remove" | "add";
  readonly name: string;
  readonly value: unknown;
}

const step: fc.Arbitrary<Step> = fc.record({
  at: fc.noBias(fc.nat(9999)),
  how: fc.constantFrom("replace", "remove", "add"),
  name: optionalName,
  value: oddValue,
});

/** A vector's payload after a few random changes at any depth. */
export const mutatedCall: fc.Arbitrary<PointCall> = fc
  .tuple(seed, fc.array(step, { minLength: 1, maxLength: 3 }))
  .map(([{ point, payload }, steps]) => {
    const copy = { payload: structuredClone(payload) };
    for (const one of steps) mutate(copy, structuredClone(one));
    return { point, payload: JSON.parse(JSON.stringify(copy.payload ?? null)) };
  });

function mutate(document: object, { at, how, name, value }: Step): void {
  const places = placesIn(document);
  const { holder, key } = places[at % places.length] as Place;
  if (how === "add") {
    const target = (holder as Record<string, unknown>)[key];
    if (typeof target === "object" && target !== null) define(target, name, value);
  } else if (how === "replace" || holder === document) define(holder, key, value);
  else delete (holder as Record<string, unknown>)[key];
}

interface Place {
  readonly holder: object;
  readonly key: string;
}

/** As JSON.parse would: `__proto__` becomes a key of its own. */
function define(holder: object, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true });
}

function placesIn(document: unknown): Place[] {
  if (typeof document !== "object" || document === null) return [];
  return Object.entries(document).flatMap(([key, value]) => [{ holder: document, key }, ...placesIn(value)]);
}
