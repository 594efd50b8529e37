import type { Clock, Moment } from "../../core/leases/clock.ts";

/** Leases of a shared ledger have no boot: the server may restart under them, and then they get a grace period. */
const ledgerBoot = "ledger";

/** After this time the server is asked again. */
const anchorMsMax = 1000;

/**
 * The ledger's time between two answers of the server, counted with this machine's clock. It is never ahead of the
 * server's, except by the drift of one second, and never goes back. The machine's wall clock plays no part.
 */
export class LedgerClock implements Clock {
  readonly #localMs: () => number;
  #anchor: { readonly ms: number; readonly graceMs: number; readonly receivedMs: number } | undefined;
  #isTrusted = false;
  #lastMs = 0;

  /** `localMs` counts while the machine is suspended. */
  constructor(localMs: () => number) {
    this.#localMs = localMs;
  }

  get isFresh(): boolean {
    if (this.#anchor === undefined || !this.#isTrusted) return false;
    return this.#localMs() - this.#anchor.receivedMs < anchorMsMax;
  }

  /** Takes the time that the server has just sent. */
  set(told: { readonly ms: number; readonly graceMs: number }): void {
    this.#anchor = { ...told, receivedMs: this.#localMs() };
    this.#isTrusted = true;
  }

  /** The connection was lost: the server may have been restarted. */
  distrust(): void {
    this.#isTrusted = false;
  }

  get isTrusted(): boolean {
    return this.#isTrusted;
  }

  now(): Moment {
    if (this.#anchor === undefined) throw new Error("the ledger's time is not known yet");
    const { ms, graceMs, receivedMs } = this.#anchor;
    this.#lastMs = Math.max(this.#lastMs, ms + Math.floor(this.#localMs() - receivedMs));
    return { wallMs: this.#lastMs, monoMs: this.#lastMs, boot: ledgerBoot, graceMs };
  }
}
