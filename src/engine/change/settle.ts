import { createHash } from "node:crypto";
import { type Deny, deny, type Verdict } from "../../core/rules/verdict.ts";
import { maskDocument } from "../../core/secrets/mask-document.ts";
import type { Change } from "../../ledger/ledger.ts";
import { StoreFault } from "../../ledger/store-fault.ts";
import { type Admitted, commit } from "./door.ts";
import type { Store } from "./engine.ts";

export type Settled<Answer extends Verdict = Verdict> =
  | {
      readonly verdict: Answer | Deny;
      /** Absent if the verdict changes nothing. */
      readonly change?: Change | Deny;
    }
  /** The data changed during the decision: decide again. */
  | "retry";

const roundsMax = 200;

/**
 * Loads, decides and commits. If the data changes before the commit, it decides again. A request with a key is
 * applied once, and each repetition gets the first answer.
 */
export async function settle<Answer extends Verdict>(
  engine: Pick<Store, "ledger" | "pause">,
  {
    operation,
    input,
    call,
  }: { readonly operation: string; readonly input: unknown; readonly call: Admitted },
  decide: () => Promise<Settled<Answer>>,
): Promise<Answer | Deny> {
  const request =
    call.key === undefined
      ? undefined
      : { key: call.key, operation, digest: digestOf(operation, input, call) };
  if (call.key !== undefined && (await maskDocument({ key: call.key })).key !== call.key)
    return deny("R-IN-001", "the key looks like a secret: choose another one");
  for (let round = 0; round < roundsMax; round += 1) {
    const before = request === undefined ? undefined : await engine.ledger.answered(request.key);
    if (before !== undefined && request !== undefined) return repeat<Answer>(before, request);
    const decided = await decide();
    if (decided === "retry") continue;
    const { change } = decided;
    if (change !== undefined && "allow" in change) return change;
    // INV-8: a reason may quote submitted text, and the caller may log it.
    const verdict = await maskDocument(decided.verdict);
    if (call.dryRun === true) return dry(verdict);
    if (change === undefined && request === undefined) return verdict;
    const committed = await commit(engine.ledger, call, {
      ...change,
      ...(request === undefined ? {} : { request: { ...request, answer: verdict } }),
    });
    if ("ok" in committed) return verdict;
    await engine.pause(round);
  }
  throw new StoreFault("busy", `the ledger changed ${roundsMax} times during \`${operation}\`: try again`);
}

/** For a part of a request that consists of several. */
export function withoutKey({ key: _key, ...call }: Admitted): Admitted {
  return call;
}

function dry<Answer extends Verdict>(verdict: Answer): Answer {
  return verdict.allow ? { ...verdict, details: { ...verdict.details, dry_run: true } } : verdict;
}

function repeat<Answer extends Verdict>(
  before: { readonly digest: string; readonly operation: string; readonly answer: unknown },
  request: { readonly key: string; readonly digest: string },
): Answer | Deny {
  if (before.digest === request.digest) return before.answer as Answer;
  return deny(
    "R-IN-001",
    `the key \`${request.key}\` was used for another \`${before.operation}\` request: choose a new one`,
  );
}

function digestOf(operation: string, input: unknown, { role, task, epoch }: Admitted): string {
  const text = JSON.stringify([operation, input, role, task ?? null, epoch ?? null]);
  return createHash("sha256").update(text).digest("hex");
}
