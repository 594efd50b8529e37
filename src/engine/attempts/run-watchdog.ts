import { ageSeconds } from "../../core/leases/lease.ts";
import { allowDetails, rules } from "../../core/points/watchdog-tick.ts";
import { decide } from "../../core/rules/rule.ts";
import { allow, type Details, deny, type Verdict } from "../../core/rules/verdict.ts";
import type { Attempt } from "../../ledger/ledger.ts";
import { commit, system } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { type End, endOf, type Grace, goneMachines, minutesOfAttempt, reclaim } from "./reclaim.ts";

/** Runs one WatchdogTick on the ledger: applies its result and returns the hook's verdict. */
export async function runWatchdog(engine: Engine, grace: Grace = {}): Promise<Verdict> {
  const ends = await findEnds(engine, grace);
  const done: { attempt: Attempt; end: End; state: string }[] = [];
  for (const { attempt, end } of ends) {
    if (!(await reclaim(engine, attempt.task, { ...grace, cause: "watchdog" }))) continue;
    const task = await engine.ledger.task(attempt.task);
    done.push({ attempt, end, state: task?.state ?? "" });
  }
  await warnOfTime(engine, grace);
  return verdictOf(engine, done);
}

async function findEnds(engine: Engine, grace: Grace): Promise<{ attempt: Attempt; end: End }[]> {
  const ends: { attempt: Attempt; end: End }[] = [];
  const running = await engine.ledger.runningAttempts();
  const gone = await goneMachines(engine, running, grace);
  for (const attempt of running) {
    const end = endOf(engine, attempt, { ...grace, gone });
    if (end !== undefined) ends.push({ attempt, end });
  }
  return ends;
}

function lateOf(engine: Engine, { task, lease, beatAt }: Attempt) {
  const age = ageSeconds(lease, engine.clock.now());
  const seconds = Number.isFinite(age) ? Math.round(age) : lease.timeoutSeconds + 1;
  return {
    task_id: task,
    last_heartbeat_at: beatAt,
    timeout_seconds: lease.timeoutSeconds,
    age_seconds: seconds,
  };
}

async function verdictOf(
  engine: Engine,
  done: readonly { attempt: Attempt; end: End; state: string }[],
): Promise<Verdict> {
  const of = (kind: End["kind"]) => done.filter(({ end }) => end.kind === kind);
  const more: Details = {
    applied: done.map(({ attempt, end, state }) => ({
      task_id: attempt.task,
      epoch: attempt.epoch,
      end: end.kind,
      state,
    })),
  };
  const late = of("late").map(({ attempt }) => lateOf(engine, attempt));
  const tick = await decide(rules, { late, invalid: [] });
  if (!tick.allow) return { ...tick, details: { ...tick.details, ...more } };
  const [first, ...others] = of("overtime");
  if (first === undefined) return allow(done.length > 0 ? { ...allowDetails(), ...more } : allowDetails());
  const count = others.length > 0 ? `; so did ${others.length} more` : "";
  return deny(
    "R-BG-001",
    `task \`${first.attempt.task}\` reached its time limit and was halted${count}`,
    more,
  );
}

async function warnOfTime(engine: Engine, { notBeforeMs = -Infinity }: Grace): Promise<void> {
  const { monoMs } = engine.clock.now();
  for (const attempt of await engine.ledger.runningAttempts()) {
    const { warn, halt } = minutesOfAttempt(engine, attempt);
    if (warn === null) continue;
    const minutes = (monoMs - Math.max(attempt.startedMs, notBeforeMs)) / 60_000;
    if (minutes < warn || attempt.warned.includes("minutes")) continue;
    const draft = new Draft(engine, { by: system, cause: "watchdog" });
    draft.putAttempt({ ...attempt, warned: [...attempt.warned, "minutes"] });
    const data = { signal: "minutes", minutes: Math.floor(minutes), warn, halt };
    draft.note({ type: "task.warned", task: attempt.task, from: null, to: null, data });
    const change = await draft.toChange();
    // If a heartbeat came in between, the next tick warns.
    if (!("allow" in change)) await commit(engine.ledger, system, change);
  }
}
