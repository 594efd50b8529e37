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

/** Reads the stored setting. */
export function breakerIn(stored: unknown): Breaker {
  return (stored as Breaker | null | undefined) ?? { mode: "CLEAR", reason: null, since: null };
}

/** Checked before a task starts, gets more scope or is merged. Hooks refuse an agent's own writes. */
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
  // The file is written before the ledger, so that nothing is written in between that a person wanted to stop.
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
  if (call.dryRun !== true) await showCurrent(engine);
  return verdict;
}

/**
 * Makes the file on disk show the mode in the ledger, not the mode of this request: a repeated request may be
 * outdated. Each process reads the ledger again after writing, so that of two concurrent writers the current mode
 * remains.
 */
async function showCurrent(engine: Engine): Promise<void> {
  let shown: BreakerMode | undefined;
  for (let { mode } = await readBreaker(engine); mode !== shown; { mode } = await readBreaker(engine)) {
    engine.showBreaker(mode);
    shown = mode;
  }
}
