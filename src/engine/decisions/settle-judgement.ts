import { type CheckRecord, outputOf } from "../../core/proof/check-record.ts";
import type { Weakened } from "../../core/proof/material/weakenings.ts";
import { type Judged, type Judgement, reasonText, type WeakeningReason } from "../../core/proof/weakening.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import type { Call, Engine } from "../change/engine.ts";
import { askWeakened, weakenedAnswer } from "./ask-weakened.ts";

/** The judged work, and the next steps for messages. */
export interface JudgedWork {
  /** The task, or the branch if there is no task. */
  readonly task: string;
  readonly commit: string;
  readonly weaken: "ask" | "refuse" | "allow";
  /** The steps after a fix and after an answer: `fix the branch and land again`, `land again`. */
  readonly fix: string;
  readonly next: string;
}

export type SettledJudgement =
  | { readonly judged: Judged; readonly records: readonly CheckRecord[] }
  | { readonly refused: Deny; readonly waiting: boolean; readonly records: readonly CheckRecord[] };

/** INV-10: a change that weakens what the base's tests verified needs a person's recorded answer. */
export async function settleJudgement(
  engine: Engine,
  { task, commit, weaken, fix, next }: JudgedWork,
  { changes, allowed, reasons, runs: records }: Judgement,
  call: Call,
): Promise<SettledJudgement> {
  if (weaken === "allow") {
    const touched = [...changes, ...allowed];
    const outcome = touched.length > 0 ? "allowed" : "untouched";
    return { judged: { outcome, changes: touched, weakened: touched }, records };
  }
  if (reasons.length === 0) {
    const touched = [...changes, ...allowed];
    const outcome = allowed.length > 0 ? "allowed" : changes.length > 0 ? "holds" : "untouched";
    return { judged: { outcome, changes: touched, weakened: allowed }, records };
  }
  const details = detailsOf(reasons, changes, records);
  const refuse = (way: string, decision?: string) =>
    weakens(reasons, way, decision === undefined ? details : { ...details, decision });
  const keep = `keep the base's tests passing: ${fix}`;
  if (weaken === "refuse") return { refused: refuse(keep), waiting: false, records };
  const answer = weakenedAnswer(await askWeakened(engine, { task, commit, reasons, changes }, call));
  if ("accepted" in answer) {
    const { id: decision, reason, at } = answer.accepted;
    const weakened = [...reasons.map(asWeakened), ...allowed];
    return {
      judged: { outcome: "accepted", changes, weakened, accepted: { decision, reason, at } },
      records,
    };
  }
  if ("refused" in answer) {
    const { id, reason } = answer.refused;
    const why = `a person refused it${reason === "" ? "" : `: ${reason}`}; ${keep}`;
    return { refused: refuse(why, id), waiting: false, records };
  }
  const { waitingFor: id } = answer;
  const way =
    id === undefined
      ? "a person has to decide"
      : `a person has to decide with \`lockstep decide ${id} "accept: REASON"\` or \`lockstep decide ${id} refuse\`, then ${next}`;
  return { refused: refuse(way, id), waiting: true, records };
}

const namedMax = 3;

/** Agents read this as review feedback, so it names the tests. */
function weakens(reasons: readonly WeakeningReason[], next: string, details: Deny["details"]): Deny {
  const texts = [...new Set(reasons.map(reasonText))];
  const more = texts.length > namedMax ? ` and ${texts.length - namedMax} more` : "";
  return deny(
    "R-TW-001",
    `the change weakens the tests that judge it (${texts.slice(0, namedMax).join("; ")}${more}): ${next}`,
    details,
  );
}

function detailsOf(
  reasons: readonly WeakeningReason[],
  changes: readonly Weakened[],
  runs: readonly CheckRecord[],
): Deny["details"] {
  const at = runs.findIndex(({ outcome }) => outcome === "fail");
  const failed = runs[at];
  const run = failed?.again ?? failed?.after;
  return {
    weakened: [...new Set(reasons.map(reasonText))],
    changes,
    ...(failed === undefined || run === undefined
      ? {}
      : {
          ...{ command: failed.command, output: outputOf(run) },
          ...(run.log === undefined ? {} : { log: run.log }),
        }),
  };
}

function asWeakened(reason: WeakeningReason): Weakened {
  if (reason.kind === "change") return { path: reason.path, what: reason.what };
  return reason.kind === "test"
    ? { path: reason.test, what: reason.now }
    : { path: reason.command, what: reason.why };
}
