import { createHash } from "node:crypto";
import { field } from "../core/points/fields.ts";
import { allow } from "../core/rules/verdict.ts";
import type { Decision } from "../ledger/ledger.ts";
import { nextDecisionId } from "./decision-ids.ts";
import { Draft } from "./draft.ts";
import type { Call, Engine } from "./engine.ts";
import { settle } from "./settle.ts";

export interface VacuousCheck {
  /** The task, or the branch where there is no task. */
  readonly task: string;
  readonly command: string;
  /** The work that the answer is about: other work is asked for anew. */
  readonly commit: string;
}

/** What a person says to a check that passes without the change too; asked once for each piece of work. A dry run asks nobody. */
export async function askVacuous(
  engine: Engine,
  check: VacuousCheck,
  call: Call,
): Promise<Pick<Decision, "id" | "state" | "answer"> | undefined> {
  let found: Decision | undefined;
  await settle(engine, { operation: "land", input: check, call: withoutKey(call) }, async () => {
    const all = await engine.ledger.decisions();
    found = all.find((one) => isAbout(one, check));
    if (found !== undefined || call.dryRun === true) return { verdict: allow() };
    const draft = new Draft(engine, { by: call, cause: "land" });
    const question = `\`${check.command}\` should prove \`${check.task}\`, but passes without the change too`;
    found = {
      id: nextDecisionId(all),
      version: 0,
      kind: "vacuous",
      task: check.task,
      question,
      options: ["approved", "refused"],
      data: { ...check, about: aboutOf(check) },
      state: "pending",
      answer: null,
      askedAt: draft.at,
      answeredAt: null,
    };
    const data = { id: found.id, command: check.command };
    draft.note({ type: "decision.asked", task: check.task, from: null, to: null, data });
    return { verdict: allow(), change: await draft.toChange({ decisions: [found] }) };
  });
  return found;
}

function isAbout({ kind, state, data }: Decision, check: VacuousCheck): boolean {
  return kind === "vacuous" && state !== "cancelled" && field(data, "about") === aboutOf(check);
}

/** A digest: the command itself is stored masked. */
function aboutOf({ command, commit }: VacuousCheck): string {
  return createHash("sha256").update(`${commit}\n${command}`).digest("hex");
}

/** One request may ask several questions. */
function withoutKey({ key: _key, ...call }: Call): Call {
  return call;
}
