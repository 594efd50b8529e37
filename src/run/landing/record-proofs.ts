import { basename, join } from "node:path";
import { type CheckRecord, failedRun } from "../../core/proof/check-record.ts";
import { maskDocument } from "../../core/secrets/mask-document.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Engine } from "../../engine/change/engine.ts";
import type { GateResult } from "../../proof/gate/gate-result.ts";
import {
  oldOutputs,
  type RecordedCheck,
  recordProof,
  removeOutputs,
} from "../../workspace/state/check-outputs.ts";
import type { IntegrationContext, Member } from "./integration.ts";

/**
 * Keeps what was run for each branch, so that `lockstep log` finds the outputs by the names of the task and the branch.
 * A refusal learns which of the checks it is about.
 */
export async function recordProofs(
  context: IntegrationContext,
  members: readonly Member[],
  gate: readonly GateResult[],
): Promise<readonly Member[]> {
  const { engine, repository, onProgress } = context;
  const stateFolder = join(repository.commonFolder, "lockstep");
  const told: Member[] = [];
  for (const member of members) {
    const { branch, task, refused } = member;
    const checks = checksOf(member, gate);
    await recordChecks(
      { engine, stateFolder, onProgress },
      [branch, ...(task === null ? [] : [task])],
      checks,
    );
    const at = checks.findIndex(({ log }) => log !== null && log === refused?.details.log);
    const numbered = refused && at !== -1 && { ...refused, details: { ...refused.details, check: at + 1 } };
    told.push(numbered ? { ...member, refused: numbered } : member);
  }
  return told;
}

/** A record that cannot be written refuses no work: the person is told, and the outputs themselves are kept. */
export async function recordChecks(
  {
    engine,
    stateFolder,
    onProgress,
  }: {
    readonly engine: Pick<Engine, "ledger">;
    readonly stateFolder: string;
    onProgress(line: string): void;
  },
  names: readonly string[],
  checks: readonly RecordedCheck[],
): Promise<void> {
  if (checks.length === 0) return;
  const at = new Date().toISOString();
  try {
    for (const name of names) recordProof(stateFolder, { name, at, checks: await maskDocument(checks) });
    const old = oldOutputs(stateFolder);
    const needed = old.length === 0 ? "" : await neededOutputs(engine);
    removeOutputs(old.filter((path) => !needed.includes(basename(path))));
  } catch (error) {
    onProgress(`\`lockstep log\` will not find these checks: ${(error as Error).message}`);
  }
}

/** What open tasks and open questions tell of. */
export async function neededOutputs({ ledger }: Pick<Engine, "ledger">): Promise<string> {
  const tasks = await ledger.tasks();
  const isOver = ({ state, refusal }: Task) => state === "MERGED" || refusal?.details.cancelled === true;
  const told = tasks.flatMap((task) => (isOver(task) ? [] : [task.refusal, task.fixDelta]));
  return JSON.stringify([told, await ledger.decisions({ state: "pending" })]);
}

function checksOf({ evidence, refused }: Member, gate: readonly GateResult[]): readonly RecordedCheck[] {
  const checks = [...evidence.map(checkOf), ...gate.flatMap(gateCheckOf)];
  const { command, log } = refused?.details ?? {};
  // A check on the base, or one of another branch that this one breaks.
  const isNew =
    typeof command === "string" && typeof log === "string" && !checks.some((one) => one.log === log);
  return isNew ? [...checks, { command, on: "base", outcome: "fail", exit: null, log }] : checks;
}

function checkOf(record: CheckRecord): RecordedCheck {
  const { command, kind, outcome, after } = record;
  const run = failedRun(record);
  const { before } = record;
  const isBase = run !== undefined && (run === before || run === before?.earlier);
  const on = kind === "judgement" ? "merged, the base's tests" : "merged";
  const log = run?.log ?? null;
  return { command, on, outcome, exit: after.exit, log, ...(isBase && log !== null && { log_on: "base" }) };
}

function gateCheckOf({ check, result, log }: GateResult): readonly RecordedCheck[] {
  return log === undefined
    ? []
    : [{ command: `gate, ${check}`, on: "merged", outcome: result, exit: null, log }];
}
