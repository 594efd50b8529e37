import type { OperationName } from "../../src/contract/operations.ts";
import type { Verdict } from "../../src/core/rules/verdict.ts";
import type { Call } from "../../src/engine/change/engine.ts";

/** By name as the operation wants it; what is wrong in it is meant so. */
export interface RequestInput {
  readonly task?: string;
  readonly [name: string]: unknown;
}

/** Something that is asked of the engine: maybe twice, maybe late, maybe after what was asked later. */
export interface Request {
  readonly name: OperationName | "tick";
  readonly input: RequestInput;
  readonly call: Call;
  /** What the caller really has in hand, whatever a planted bug makes of it. */
  readonly carried?: Carried;
  onAnswer?(verdict: Verdict): void;
}

interface Carried {
  readonly task: string;
  readonly epoch: number;
}

/** What an epoch with the token of another one is worth. */
export const neverCurrent = -1;
