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
  /** The server that holds the ledger does not answer. */
  | "unreachable"
  /** The server refuses the user or what it wants to do. */
  | "denied"
  | "io";

/** Faults that can go away without a repair of the ledger. */
const temporary: ReadonlySet<StoreFaultKind> = new Set(["full", "busy", "unreachable"]);

interface StoreLike extends Error {
  readonly code: "E-STORE";
  readonly kind?: string;
  readonly retryable: boolean;
}

/** An error of the ledger or of the state folder, recognised by its code: a bundle may have its own copy of the class. */
export function isStoreFault(error: unknown): error is StoreLike {
  return error instanceof Error && "code" in error && error.code === "E-STORE";
}

export function isUnreachable(error: unknown): boolean {
  return isStoreFault(error) && error.kind === "unreachable";
}

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
