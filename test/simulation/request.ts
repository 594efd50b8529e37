import type { OperationName } from "../../src/contract/operations.ts";
import type { Verdict } from "../../src/core/rules/verdict.ts";
import type { Call } from "../../src/engine/change/engine.ts";

/** The input that the operation with this name requires; faults in it are deliberate. */
export interface RequestInput {
  readonly task?: string;
  readonly [name: string]: unknown;
}

/** A request to the engine: perhaps sent twice, late, or after later requests. */
export interface Request {
  readonly name: OperationName | "tick";
  readonly input: RequestInput;
  readonly call: Call;
  /** The identity that the caller really has, whatever a planted bug makes of it. */
  readonly carried?: Carried;
  onAnswer?(verdict: Verdict): void;
}

interface Carried {
  readonly task: string;
  readonly epoch: number;
}

/** The result of an epoch with the token of another one. */
export const neverCurrent = -1;
