import { describe, expect, it } from "vitest";
import { sampleTask } from "../../../test/support/sample-task.ts";
import { abandoned, newSession, type Session } from "../../core/session/session.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Attempt, Decision } from "../../ledger/ledger.ts";
import { finishedBefore } from "./finished-work.ts";

const made = "2026-01-01T00:00:00.000Z";
const later = Date.parse("2026-01-02T00:00:00.000Z");
const own = (id: string, changes: Partial<Task> = {}): Task =>
  sampleTask({ id, key: `S/${id}`, session: "S", state: "MERGED", ...changes });
const session = (changes: Partial<Session>): Session => ({
  ...newSession({ name: "S", goal: "g", mode: "full", base: "main", baseCommit: "c" }, made),
  ...changes,
});
const attempt = (task: string, changes: Partial<Attempt>) =>
  ({ task, leaseState: "over", beatAt: made, endedAt: null, ...changes }) as Attempt;
const question = (task: string) => ({ id: "UD-1", task, state: "pending" }) as Decision;

interface Facts {
  readonly tasks: readonly Task[];
  readonly attempts?: readonly Attempt[];
  readonly decisions?: readonly Decision[];
  readonly sessions?: readonly Session[];
}

const givenUp = session({
  state: "BLOCKED",
  blocker: { code: abandoned, reason: "", recovery: "", at: made, from: "PLAN" },
});

describe("work that is finished", () => {
  it.each<[string, Facts, readonly string[]]>([
    ["merged and failed", { tasks: [own("A"), own("B", { state: "FAILED" })] }, ["S/A", "S/B"]],
    ["one is open", { tasks: [own("A"), own("B", { state: "BLOCKED" })] }, []],
    ["one is escalated", { tasks: [own("A"), own("B", { state: "ESCALATED" })] }, []],
    ["something happened too late", { tasks: [own("A", { updatedAt: "2026-01-02T00:00:00.000Z" })] }, []],
    [
      "its attempt ended too late",
      { tasks: [own("A")], attempts: [attempt("S/A", { endedAt: "2026-01-03T00:00:00.000Z" })] },
      [],
    ],
    ["its session continues", { tasks: [own("A")], sessions: [session({ state: "PLAN" })] }, []],
    ["its session is done", { tasks: [own("A")], sessions: [session({ state: "DONE" })] }, ["S/A"]],
    ["its session was given up", { tasks: [own("A", { state: "PENDING" })], sessions: [givenUp] }, ["S/A"]],
    [
      "its session was given up, and a person works on it",
      {
        tasks: [own("A", { state: "IN_PROGRESS" })],
        sessions: [givenUp],
        attempts: [attempt("S/A", { leaseState: "held" })],
      },
      [],
    ],
    [
      "its session was given up, and a question about it waits",
      { tasks: [own("A", { state: "PENDING" })], sessions: [givenUp], decisions: [question("S/A")] },
      [],
    ],
    [
      "tasks of no session count alone",
      { tasks: [sampleTask({ state: "MERGED" }), sampleTask({ key: "T-2", id: "T-2" })] },
      ["T-1"],
    ],
  ])("%s", (_what, { tasks, attempts = [], decisions = [], sessions = [] }, finished) => {
    const found = finishedBefore({ tasks, attempts, decisions, sessions }, later);
    expect(found.map(({ key }) => key)).toEqual(finished);
  });
});
