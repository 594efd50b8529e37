import { type BreakerMode, whyStopped } from "../../core/rules/breaker.ts";
import { allow, type Deny, type Verdict } from "../../core/rules/verdict.ts";
import type { Admitted } from "./door.ts";
import { Draft } from "./draft.ts";
import type { Engine } from "./engine.ts";
import { settle } from "./settle.ts";

export interface Breaker {
  readonly mode: BreakerMode;
  readonly reason: string | null;
  readonly since: string | null;
}

export async function readBreaker({ ledger }: Pick<Engine, "ledger">): Promise<Breaker> {
  return breakerIn(await ledger.setting("breaker"));
}

/** From what is stored. */
export function breakerIn(stored: unknown): Breaker {
  return (stored as Breaker | null | undefined) ?? { mode: "CLEAR", reason: null, since: null };
}

/** Asked before a task starts, gets more scope or is merged. An agent's own writes are refused by the hooks. */
export async function findBreaker(
  engine: Pick<Engine, "ledger">,
  act: "start" | "write",
): Promise<Deny | undefined> {
  return whyStopped(await readBreaker(engine), act);
}

export async function setBreaker(
  engine: Engine,
  input: { readonly mode: BreakerMode; readonly reason?: string },
  call: Admitted,
): Promise<Verdict> {
  // Whatever happens between the two, nothing is written that a person wanted stopped.
  if (input.mode !== "CLEAR" && call.dryRun !== true) engine.showBreaker(input.mode);
  const verdict = await settle(engine, { operation: "breaker", input, call }, async () => {
    const before = await readBreaker(engine);
    const { mode } = input;
    const running = await engine.ledger.runningAttempts();
    const details = { mode, running: running.length };
    if (before.mode === mode) return { verdict: allow({ ...details, changed: false }) };
    const draft = new Draft(engine, { by: call, cause: "breaker" });
    const reason = input.reason ?? null;
    draft.note({
      type: "breaker.set",
      task: null,
      from: null,
      to: null,
      data: { before: before.mode, mode, reason },
    });
    const breaker = mode === "CLEAR" ? null : { mode, reason, since: draft.at };
    const change = await draft.toChange({ settings: { breaker }, relieves: true });
    return { verdict: allow({ ...details, changed: true }), change };
  });
  if (call.dryRun !== true) await showWhatHolds(engine);
  return verdict;
}

/**
 * The disk shows what the ledger says, whoever wrote last and whatever was asked: a repeated request asks for
 * what may no longer hold. Whoever writes looks again afterwards, so that of two the truth stays.
 */
async function showWhatHolds(engine: Engine): Promise<void> {
  let shown: BreakerMode | undefined;
  for (let { mode } = await readBreaker(engine); mode !== shown; { mode } = await readBreaker(engine)) {
    engine.showBreaker(mode);
    shown = mode;
  }
}
