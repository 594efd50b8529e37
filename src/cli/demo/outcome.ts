import type { TaskStatus } from "../../engine/views/read-status.ts";
import type { DemoAgent } from "./demo-agent.ts";
import type { LockstepRun } from "./lockstep-run.ts";
import { mainBranch, type TestCounts } from "./main-branch.ts";
import type { PlainRun } from "./plain-run.ts";

/** What one agent did, and the result in both runs. */
export interface AgentOutcome {
  readonly task: string;
  readonly deed: string;
  readonly plain: { readonly merged: boolean; readonly harm: string | null };
  readonly lockstep: {
    readonly state: TaskStatus["state"];
    readonly attempts: number;
    readonly code: string | null;
    readonly reason: string | null;
    /** How many checks passed on the merged tree. */
    readonly checks: number;
    /** The question that a person has to answer before the merge. */
    readonly asks: { readonly kind: string; readonly findings: readonly string[] } | null;
    readonly harm: string | null;
  };
}

/** The document of `demo --json`, and the data of the table. */
export interface DemoOutcome {
  readonly ok: boolean;
  readonly agents: readonly AgentOutcome[];
  readonly tests: { readonly plain: TestCounts; readonly lockstep: TestCounts };
  readonly folder: string;
  readonly repositories: { readonly plain: string; readonly lockstep: string };
  readonly logs: { readonly plain: string; readonly lockstep: string };
  readonly seconds: number;
}

interface Runs {
  readonly folder: string;
  readonly plain: PlainRun;
  readonly lockstep: LockstepRun;
}

/** Examines both main branches; what the runs reported is not trusted. */
export async function examine(
  agents: readonly DemoAgent[],
  { folder, plain, lockstep }: Runs,
): Promise<Omit<DemoOutcome, "seconds">> {
  const mains = { plain: mainBranch(plain.repository), lockstep: mainBranch(lockstep.repository) };
  const outcomes: AgentOutcome[] = [];
  for (const agent of agents) {
    const { task, deed } = agent;
    const status = lockstep.tasks.get(task);
    if (status === undefined) throw new Error(`\`lockstep run\` did not report the task ${task}`);
    const { state, attempts, code, reason, evidence, usage, elapsed_seconds: seconds } = status;
    const asked = lockstep.questions.get(task);
    const spent = plain.spent.get(task) ?? { seconds: 0, tokens: 0 };
    const [harm = null, ownHarm = null] = await Promise.all([
      agent.harm(mains.plain, spent),
      agent.harm(mains.lockstep, { tokens: usage.tokens, seconds: seconds ?? 0 }),
    ]);
    outcomes.push({
      task,
      deed,
      plain: { merged: plain.merged.has(task), harm },
      lockstep: {
        ...{ state, attempts, code, reason },
        checks: state === "MERGED" ? evidence.length : 0,
        asks: asked === undefined ? null : { kind: asked.kind, findings: asked.findings },
        harm: ownHarm,
      },
    });
  }
  const [ofPlain, ofLockstep] = await Promise.all([mains.plain.tests(), mains.lockstep.tests()]);
  const tests = { plain: ofPlain, lockstep: ofLockstep };
  return {
    ok: tests.lockstep.failed === 0 && outcomes.every((one) => one.lockstep.harm === null),
    agents: outcomes,
    tests,
    folder,
    repositories: { plain: plain.repository, lockstep: lockstep.repository },
    logs: { plain: plain.log, lockstep: lockstep.log },
  };
}
