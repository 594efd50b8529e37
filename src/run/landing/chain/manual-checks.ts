import type { CheckRecord } from "../../../core/proof/check-record.ts";
import { type Deny, deny } from "../../../core/rules/verdict.ts";
import { askManual } from "../../../engine/decisions/ask-manual.ts";
import type { Candidate } from "../candidate.ts";
import type { IntegrationContext } from "../integration.ts";

/** Asks a person to confirm each manual criterion of work whose checks pass. Each answer is part of the proof. */
export async function passManual(
  { engine, call, dryRun }: IntegrationContext,
  { task, branch, commit, manual }: Candidate,
  tree: string,
): Promise<
  { readonly records: readonly CheckRecord[] } | { readonly refused: Deny; readonly waiting: boolean }
> {
  const records: CheckRecord[] = [];
  const open: string[] = [];
  for (const criterion of manual) {
    const asked = { task: task ?? branch, criterion, commit };
    const decision = await askManual(engine, asked, { ...call, dryRun });
    const answer = decision?.answer ?? "";
    if (answer.startsWith("refused")) return { refused: refusedBy(criterion, answer), waiting: false };
    if (answer !== "approved") open.push(decision?.id ?? "");
    else records.push(recordOf(criterion, tree, `${decision?.answeredAt} (${decision?.id})`));
  }
  return open.length === 0 ? { records } : { refused: waitFor(manual, open), waiting: true };
}

function recordOf(criterion: string, tree: string, when: string): CheckRecord {
  const after = { exit: 0, seconds: 0, digest: "", tail: `approved by a person on ${when}` };
  const runs = { kind: "manual", before: null, after, again: null } as const;
  return { command: `manual: ${criterion}`, tree, ...runs, outcome: "pass" };
}

function refusedBy(criterion: string, answer: string): Deny {
  const said = answer.replace(/^refused[\s:]*/, "");
  const why = said === "" ? "" : `: ${said}`;
  return deny("R-PC-002", `a person reviewed the work and did not confirm "${criterion}"${why}`, {
    criterion,
    ...(said === "" ? {} : { said }),
  });
}

function waitFor(manual: readonly string[], open: readonly string[]): Deny {
  const criteria = manual.map((criterion) => `"${criterion}"`).join(" and ");
  const ids = open.filter((id) => id !== "");
  const next =
    ids.length === 0
      ? ""
      : `: ${ids.map((id) => `\`lockstep decide ${id} approved\``).join(", ")}, then run again`;
  return deny("R-PC-003", `a person has to confirm ${criteria}${next}`, {
    decisions: open,
  });
}
