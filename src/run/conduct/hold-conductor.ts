import { isSameProcess } from "../../core/leases/process-identity.ts";
import {
  conductorRole,
  type HeldRole,
  renewRole,
  roleSeconds,
  takeRole,
  whyNotHolder,
} from "../../engine/change/hold-role.ts";
import { isUnreachable, StoreFault } from "../../ledger/store-fault.ts";
import type { IntegrationContext } from "../landing/integration.ts";

type Source = Pick<IntegrationContext, "engine" | "call">;

const renewMs = (roleSeconds * 1000) / 4;

/** The roles of the conductor of some sessions, renewed until they are given back. */
export class ConductorRoles implements AsyncDisposable {
  readonly #source: Source;
  readonly #held = new Map<string, HeldRole>();
  readonly #timer: NodeJS.Timeout;
  #fault: Error | undefined;

  /** Gives `host` back if the session is conducted elsewhere. */
  static async open(source: Source, session: string, host: AsyncDisposable): Promise<ConductorRoles> {
    const roles = new ConductorRoles(source);
    try {
      await roles.take(session);
      return roles;
    } catch (error) {
      await roles[Symbol.asyncDispose]();
      await host[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(source: Source) {
    this.#source = source;
    this.#timer = setInterval(() => void this.#renew(), renewMs);
    this.#timer.unref();
  }

  /** Throws if a process on another machine conducts the session: it continues there. */
  async take(session: string): Promise<void> {
    if (this.#held.has(session)) return;
    const { engine, call } = this.#source;
    const taken = await takeRole(engine, conductorRole(session), call);
    if ("epoch" in taken) {
      this.#held.set(session, taken);
      return;
    }
    const { holder, epoch } = taken.heldBy;
    const self = engine.identityOf(process.pid);
    if (holder !== null && self !== undefined && isSameProcess(holder, self)) {
      this.#held.set(session, { name: taken.heldBy.name, epoch }); // reserved when the session was named
      return;
    }
    const machines = await engine.ledger.machines();
    const where = machines.find(({ id }) => id === holder?.machine)?.name ?? "this machine";
    throw new StoreFault(
      "busy",
      `session \`${session}\` is conducted by process ${holder?.pid ?? "unknown"} on ${where}: it continues there; if that machine is gone, try again in ${roleSeconds} s`,
    );
  }

  /** Why this process must stop, if another one has taken over. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    const { engine, call } = this.#source;
    for (const held of this.#held.values())
      await renewRole(engine, { ...held, end: true }, call).catch((error: unknown) => {
        if (!isUnreachable(error)) throw error; // then the lease ends by itself
      });
  }

  async #renew(): Promise<void> {
    const { engine, call } = this.#source;
    for (const held of this.#held.values()) {
      // A ledger that cannot be reached is no reason to stop: the epoch decides when it can be reached again.
      const isRenewed = await renewRole(engine, held, call).catch(() => true);
      if (isRenewed) continue;
      const why = await whyNotHolder(engine, held).catch(() => undefined);
      if (why !== undefined) this.#fault ??= new StoreFault("busy", why.reason);
    }
  }
}
