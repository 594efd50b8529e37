import { basename, join } from "node:path";
import { type CheckRecord, failedRun } from "../../../core/proof/check-record.ts";
import { maskDocument } from "../../../core/secrets/mask-document.ts";
import type { Task } from "../../../core/tasks/task.ts";
import type { Engine } from "../../../engine/change/engine.ts";
import type { GateResult } from "../../../proof/gate/gate-result.ts";
import {
  oldOutputs,
  type RecordedCheck,
  recordProof,
  removeOutputs,
} from "../../../workspace/state/check-outputs.ts";
import type { IntegrationContext, Member } from "../integration.ts";
import { keepChecks } from "./share-checks.ts";

/**
 * Records the checks of each branch, so that `lockstep log` finds their outputs by task or branch name. Adds the number
 * of the failed check to a refusal.
 */
export async function recordProofs(
  context: IntegrationContext,
  members: readonly Member[],
  gate: readonly GateResult[],
): Promise<readonly Member[]> {
  const { engine, repository, onProgress } = context;
  const stateFolder = join(repository.commonFolder, "lockstep");
  const recorded: Member[] = [];
  const red = members.map(({ refused }) => redBaseCheck(refused)).find((check) => check !== undefined);
  if (red !== undefined)
    await recordChecks({ engine, stateFolder, onProgress }, { branch: repository.base }, [red]);
  for (const member of members) {
    const { branch, task, refused } = member;
    const checks = checksOf(member, gate);
    await recordChecks({ engine, stateFolder, onProgress }, { branch, task }, checks);
    const at = checks.findIndex(({ log }) => log !== null && log === refused?.details.log);
    const numbered = refused && at !== -1 && { ...refused, details: { ...refused.details, check: at + 1 } };
    recorded.push(numbered ? { ...member, refused: numbered } : member);
  }
  return recorded;
}

/** The check that fails on the base: it is recorded for the base too, as by a run that does not begin. */
function redBaseCheck(refused: Member["refused"]): RecordedCheck | undefined {
  const { command, log = null, base_exit: exit } = refused?.details ?? {};
  const isRed = typeof command === "string" && (exit === null || typeof exit === "number");
  if (!isRed) return undefined;
  return { command, on: "base", outcome: "fail", exit, log: typeof log === "string" ? log : null };
}

/** If the record cannot be written, the work is not refused: a message says so, and the outputs themselves are kept. */
export async function recordChecks(
  {
    engine,
    stateFolder,
    onProgress,
  }: {
    readonly engine: Pick<Engine, "ledger" | "machine" | "clock">;
    readonly stateFolder: string;
    onProgress(line: string): void;
  },
  { branch, task = null }: { readonly branch?: string; readonly task?: string | null },
  checks: readonly RecordedCheck[],
): Promise<void> {
  if (checks.length === 0) return;
  const at = new Date(engine.clock.now().wallMs).toISOString();
  try {
    const record = { at, checks: await maskDocument(checks) };
    if (branch !== undefined) recordProof(stateFolder, { name: branch, ...record });
    if (task !== null) {
      const proof = { name: task, ...record };
      await keepChecks(engine, { proof, file: recordProof(stateFolder, proof) });
    }
    const old = oldOutputs(stateFolder);
    const needed = old.length === 0 ? "" : await neededOutputs(engine);
    removeOutputs(old.filter((path) => !needed.includes(basename(path))));
  } catch (error) {
    onProgress(`\`lockstep log\` will not find these checks: ${(error as Error).message}`);
  }
}

/** A text that contains the names of all outputs to which open tasks and pending decisions refer. */
export async function neededOutputs({ ledger }: Pick<Engine, "ledger">): Promise<string> {
  const tasks = await ledger.tasks();
  const isOver = ({ state, refusal }: Task) => state === "MERGED" || refusal?.details.cancelled === true;
  const reasons = tasks.flatMap((task) => (isOver(task) ? [] : [task.refusal, task.fixDelta]));
  return JSON.stringify([reasons, await ledger.decisions({ state: "pending" })]);
}

function checksOf({ evidence, refused }: Member, gate: readonly GateResult[]): readonly RecordedCheck[] {
  const { command, log } = refused?.details ?? {};
  const checks = [...evidence.map((record) => checkOf(record, log)), ...gate.flatMap(gateCheckOf)];
  // The refusal can be about a check on the base, or a check of another branch that this one makes fail.
  const isNew =
    typeof command === "string" && typeof log === "string" && !checks.some((one) => one.log === log);
  return isNew ? [...checks, { command, on: "base", outcome: "fail", exit: null, log }] : checks;
}

/** `refusedBy`: the output that a refusal names; it can be that of a second run. */
function checkOf(record: CheckRecord, refusedBy: unknown): RecordedCheck {
  const { command, kind, outcome, after, again } = record;
  const run =
    [again, after].find((one) => one?.log !== undefined && one.log === refusedBy) ?? failedRun(record);
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
