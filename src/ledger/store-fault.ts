export type StoreFaultKind =
  | "full"
  | "busy"
  | "corrupt"
  | "read-only"
  | "newer"
  | "network"
  /** The files are not, or no longer, where they were. */
  | "gone"
  /** What is there is older than what was there before. */
  | "lost"
  | "io";

/** Those that can pass without anybody mending something in the ledger. */
const passing: ReadonlySet<StoreFaultKind> = new Set(["full", "busy"]);

/** A fault of the store under the ledger. The message ends with the next legal step. */
export class StoreFault extends Error {
  override readonly name = "StoreFault";
  readonly code = "E-STORE";
  readonly kind: StoreFaultKind;
  readonly retryable: boolean;

  constructor(kind: StoreFaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
    this.retryable = passing.has(kind);
  }
}
