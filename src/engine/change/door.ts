import { type InternalOperation, internalOperations } from "../../contract/operations.ts";
import type { Change, Committed, Ledger } from "../../ledger/ledger.ts";
import type { Call } from "./engine.ts";

const admitted: unique symbol = Symbol("admitted");

/**
 * A call whose caller was checked. Every change of the ledger needs one: `settle`, `Draft` and `commit` require
 * it.
 */
export type Admitted = Call & { readonly [admitted]: true };

/** Only for `operate`, which has checked the caller against the contract. */
export function admit(call: Call): Admitted {
  return { ...call, [admitted]: true };
}

/** The caller for Lockstep's own actions, such as ending an attempt whose lease has lapsed. */
export const system: Admitted = admit({ role: "system" });

/**
 * Wraps an operation of Lockstep's own processes in a check of the caller. If one operation calls another, the
 * call is already checked. Agents cannot reach these operations, so a wrong caller is a bug and throws.
 */
export function internal<Engine, Input, Answer>(
  name: InternalOperation,
  act: (engine: Engine, input: Input, call: Admitted) => Answer,
): (engine: Engine, input: Input, call: Call | Admitted) => Answer {
  const callers: readonly Call["role"][] = internalOperations[name];
  return (engine, input, call) => {
    if (admitted in call) return act(engine, input, call);
    if (callers.includes(call.role)) return act(engine, input, admit(call));
    throw new Error(`the operation \`${name}\` is not for ${call.role}`);
  };
}

/** The only place that changes the ledger (enforced by test/tidy.test.ts). */
export function commit(ledger: Ledger, _call: Admitted, change: Change): Promise<Committed> {
  return ledger.commit(change);
}
