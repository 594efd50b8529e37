import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { expect } from "vitest";
import type { LandRepository } from "./land-repository.ts";
import type { Running } from "./run-command.ts";
import { type TeamAnswers, type TeamRepository, teamIn, teamRepository } from "./team-repository.ts";

export const goal = "Two small text files";

const gates = ["APPROVE_DESIGN", "REVIEW_STRATEGY"] as const;
type Gate = (typeof gates)[number];

export interface SessionsAtGates extends Disposable {
  /** A repository whose session waits at the gate, and the further behavior of its roles. */
  at(gate: Gate, given?: TeamAnswers): Promise<TeamRepository>;
}

/**
 * One session reaches the gates, and each test gets a copy of it. All copies use one path, because a ledger contains
 * it.
 */
export function sessionsAtGates(): SessionsAtGates {
  const first = teamRepository();
  const copyAt = (gate: Gate) => `${first.path}-${gate}`;
  const keep = (gate: Gate, { status, stderr }: Awaited<ReturnType<TeamRepository["resume"]>>) => {
    expect(status, stderr).toBe(3);
    expect(first.status().current_state).toBe(gate);
    execFileSync("cp", ["-a", first.path, copyAt(gate)]);
  };
  const reachGates = async () => {
    keep("APPROVE_DESIGN", await first.start(goal));
    await first.decide("UD-APPROVE-DESIGN", "approved");
    keep("REVIEW_STRATEGY", await first.resume());
  };
  let reached: Promise<void> | undefined;
  let uses = 0;
  let running: Running | undefined;
  /** A test that timed out continues beside the next one, whose repository it must not change. */
  const lend = (): LandRepository => {
    const own = uses;
    const start: LandRepository["start"] = (words, options) => {
      if (own !== uses) throw new Error("another test has the repository by now");
      running = first.launch(words, options);
      return running;
    };
    const run: LandRepository["run"] = (words, options) => start(words, options).ended;
    return { ...first, start, run, [Symbol.dispose]: () => {} };
  };
  return {
    at: async (gate, given = {}) => {
      reached ??= reachGates();
      await reached;
      uses += 1;
      running?.[Symbol.dispose]();
      await running?.ended;
      first[Symbol.dispose]();
      execFileSync("cp", ["-a", copyAt(gate), first.path]);
      return teamIn(lend(), given);
    },
    [Symbol.dispose]: () => {
      first[Symbol.dispose]();
      for (const gate of gates) rmSync(copyAt(gate), { recursive: true, force: true });
    },
  };
}
