import { createHash } from "node:crypto";
import type { Weakened } from "../../core/proof/material/weakenings.ts";
import { reasonText, type WeakeningReason } from "../../core/proof/weakening.ts";
import type { Decision } from "../../ledger/ledger.ts";
import type { Call, Engine } from "../change/engine.ts";
import { askPerson } from "./ask-person.ts";

export interface WeakeningChange {
  /** The task, or the branch if there is no task. */
  readonly task: string;
  readonly commit: string;
  readonly reasons: readonly WeakeningReason[];
  /** Changes to test material, in words. */
  readonly changes: readonly Weakened[];
  /** The file with the output of the base's tests. */
  readonly log?: string | undefined;
}

const shownMax = 20;

/** The line of a decision's findings that begins the list of what the change touches. */
export const touchedHeading = "The change touches:";

/**
 * Asks whether a person accepts a change that weakens what the base's tests verified. The answer applies to this
 * commit and these reasons; a new reason needs a new answer.
 */
export function askWeakened(engine: Engine, asked: WeakeningChange, call: Call) {
  const { task, commit, reasons, changes, log } = asked;
  const keys = reasons.map((reason) => keyOf(reasonText(reason)));
  const covers = (one: Decision) => {
    const known = one.data?.reasons;
    if (one.task !== task || one.data?.commit !== commit || known === undefined) return false;
    return keys.every((key) => known.includes(key));
  };
  return askPerson(
    engine,
    {
      kind: "weakened",
      task,
      question: questionOf(asked),
      options: ["accept", "refuse"],
      about: [task, commit, ...keys],
      covers,
      commit,
      data: {
        findings: findingsOf(reasons, changes),
        reasons: keys,
        ...(log === undefined ? {} : { log }),
      },
    },
    call,
  );
}

/** A digest, because the texts themselves are stored masked. */
function keyOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 24);
}

function questionOf({ task, commit, reasons }: WeakeningChange): string {
  const tests = new Set(reasons.flatMap((reason) => (reason.kind === "test" ? [reason.test] : []))).size;
  const failing =
    tests === 0
      ? ""
      : `: ${tests} test${tests === 1 ? "" : "s"} of the base no longer pass${tests === 1 ? "es" : ""}`;
  return `\`${task}\` (${commit.slice(0, 12)}) weakens the tests that judge it${failing}. Accept the change?`;
}

function findingsOf(reasons: readonly WeakeningReason[], changes: readonly Weakened[]): readonly string[] {
  const texts = new Set(reasons.map(reasonText));
  const done = changes.map(({ path, what }) => `${path}: ${what}`).filter((line) => !texts.has(line));
  return [...bounded([...texts]), ...(done.length === 0 ? [] : [touchedHeading, ...bounded(done)])];
}

function bounded(lines: readonly string[]): readonly string[] {
  if (lines.length <= shownMax) return lines;
  return [...lines.slice(0, shownMax), `and ${lines.length - shownMax} more`];
}

export type WeakenedAnswer =
  | { readonly accepted: { readonly id: string; readonly reason: string; readonly at: string | null } }
  | { readonly refused: { readonly id: string; readonly reason: string } }
  | { readonly waitingFor: string | undefined };

export function weakenedAnswer(decision: Decision | undefined): WeakenedAnswer {
  const [, word, reason = ""] = /^(accept|refuse)(?::\s*([\s\S]*))?$/.exec(decision?.answer ?? "") ?? [];
  if (decision === undefined || decision.state !== "answered" || word === undefined)
    return { waitingFor: decision?.id };
  const { id, answeredAt: at } = decision;
  return word === "accept" ? { accepted: { id, reason, at } } : { refused: { id, reason } };
}
