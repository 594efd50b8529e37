import type { Details } from "../../src/core/rules/verdict.ts";
import type { Random } from "./random.ts";
import { allKeys, narrowScopes, oddSpellings, wideScopes, worklogOf } from "./scopes.ts";
import type { Secrets } from "./secrets.ts";

/** Some are run by Lockstep itself, and then need a commit. */
const criteria = ["tests pass", "docs say so", "cmd: npm test"] as const;

/** The longest lease that a simulated task has. */
export const leaseSecondsMax = 90;

export interface PacketMaker {
  readonly random: Random;
  readonly secrets: Secrets;
  /** Grows with every packet, for packets that have to be new. */
  revision: number;
}

/** An assignment as orchestrators write it: mostly valid. */
export function makePacket(maker: PacketMaker, key: string, known: readonly string[]): Details {
  const { random, secrets } = maker;
  maker.revision += 1;
  // Names that look like a secret are rare, and refused.
  const named = (name: string) => (random.chance(0.1) ? secrets.in(name) : name);
  const scope = random.chance(0.5) ? [homeOf(key)] : makeScope(random);
  const assignment = {
    lock_scope: scope.map(named),
    forbidden_scope: random.chance(0.2) ? [named("secret/keys")] : [],
    acceptance_criteria: random.chance(0.8)
      ? [criteria[0]]
      : [criteria[0], secrets.in(random.pick(criteria))],
    worklog_path: worklogOf(key),
    timeout_seconds: random.pick([30, 60, leaseSecondsMax]),
    heartbeat_interval_seconds: 10,
    ...(random.chance(0.25) ? { uses: [named(random.pick(["database", "port"]))] } : {}),
    ...(random.chance(0.1) ? checklist(secrets) : {}),
  };
  return {
    task_id: key,
    assignment: random.chance(0.1) ? spoil(random, assignment) : assignment,
    title: secrets.in("round prices"),
    agent: named("coder"),
    ...(random.chance(0.3) ? { model: secrets.in("small") } : {}),
    ...(random.chance(0.15) ? { depends_on: makeDependencies(random, key, known) } : {}),
    ...(random.chance(0.3) ? { context_revision: maker.revision } : {}),
    ...(random.chance(0.04) ? { active_locks: foreignLocks(random) } : {}),
  };
}

/** A packet that succeeds: no scope that another task holds, and a new revision each time. */
export function makePlainPacket(maker: PacketMaker, key: string): Details {
  maker.revision += 1;
  return {
    task_id: key,
    assignment: {
      lock_scope: [worklogOf(key)],
      forbidden_scope: [],
      acceptance_criteria: [criteria[0]],
      worklog_path: worklogOf(key),
      timeout_seconds: leaseSecondsMax,
      heartbeat_interval_seconds: 10,
    },
    context_revision: maker.revision,
  };
}

function makeScope(random: Random): string[] {
  const entry = () =>
    random.weighted([
      [14, random.pick(narrowScopes)],
      [3, random.pick(wideScopes)],
      [2, random.pick(oddSpellings)],
      [0.2, "."],
    ]);
  return Array.from({ length: random.pick([1, 1, 2, 3]) }, entry);
}

/** A scope that overlaps few others. */
function homeOf(key: string): string {
  return narrowScopes[allKeys.indexOf(key) % narrowScopes.length] ?? worklogOf(key);
}

export function makePaths(random: Random, secrets: Secrets): string[] {
  return [random.pick(narrowScopes), ...(random.chance(0.2) ? [secrets.in("lib/y.ts")] : [])];
}

/** Mostly existing tasks; an unknown task may be added later, or never. */
function makeDependencies(random: Random, key: string, known: readonly string[]): string[] {
  const others = (random.chance(0.93) ? known : allKeys).filter((other) => other !== key);
  if (others.length === 0) return [];
  return Array.from({ length: random.whole(1, 2) }, () => random.pick(others));
}

function foreignLocks(random: Random) {
  return [{ task_id: "X-9", resource: random.pick(narrowScopes), active: random.chance(0.7) }];
}

function checklist(secrets: Secrets) {
  return { objective: secrets.in("prices are round"), forbidden_actions: [], evidence: ["test output"] };
}

function spoil(random: Random, assignment: Details): Details {
  const wrong = random.pick<Details>([
    { lock_scope: [] },
    { lock_scope: ["../outside"] },
    { lock_scope: undefined },
    { forbidden_scope: ["."] },
    { worklog_path: "../out.md" },
    { timeout_seconds: 0 },
    { heartbeat_interval_seconds: 500 },
    { acceptance_criteria: [] },
  ]);
  return { ...assignment, ...wrong };
}
