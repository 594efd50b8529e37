export type StoreFaultKind =
  | "full"
  | "busy"
  | "corrupt"
  | "read-only"
  | "newer"
  | "network"
  /** The files are missing, or were deleted or replaced while open. */
  | "gone"
  /** The stored data is older than what was stored before. */
  | "lost"
  | "io";

/** Faults that can go away without a repair of the ledger. */
const temporary: ReadonlySet<StoreFaultKind> = new Set(["full", "busy"]);

/** A fault of the storage under the ledger. The message ends with the next step for the user. */
export class StoreFault extends Error {
  override readonly name = "StoreFault";
  readonly code = "E-STORE";
  readonly kind: StoreFaultKind;
  readonly retryable: boolean;

  constructor(kind: StoreFaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
    this.retryable = temporary.has(kind);
  }
}
