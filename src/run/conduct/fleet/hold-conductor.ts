import { isSameProcess } from "../../../core/leases/process-identity.ts";
import type { Engine } from "../../../engine/change/engine.ts";
import {
  conductorRole,
  endRole,
  type HeldRole,
  isHeld,
  renewRole,
  roleSeconds,
  takeRole,
  whyNotHolder,
} from "../../../engine/change/hold-role.ts";
import type { Role } from "../../../ledger/ledger.ts";
import { StoreFault } from "../../../ledger/store-fault.ts";
import type { IntegrationContext } from "../../landing/integration.ts";

type Source = Pick<IntegrationContext, "engine" | "call">;

const renewMs = (roleSeconds * 1000) / 4;

/** Throws if a living process on another machine conducts the session. */
export async function refuseConducted(
  engine: Pick<Engine, "ledger" | "clock" | "isAlive">,
  session: string,
): Promise<void> {
  const role = await engine.ledger.role(conductorRole(session));
  const isElsewhere = role?.holder != null && engine.isAlive(role.holder) === "elsewhere";
  if (isElsewhere && isHeld(engine, role)) throw await conductedElsewhere(engine, session, role);
}

async function conductedElsewhere(
  { ledger }: Pick<Engine, "ledger">,
  session: string,
  { holder }: Role,
): Promise<StoreFault> {
  const machines = await ledger.machines();
  const where = machines.find(({ id }) => id === holder?.machine)?.name ?? "this machine";
  return new StoreFault(
    "busy",
    `session \`${session}\` is conducted by process ${holder?.pid ?? "unknown"} on ${where}: it continues there; if that machine is gone, try again in ${roleSeconds} s`,
  );
}

/** The roles of the conductor of some sessions, renewed until they are given back. */
export class ConductorRoles implements AsyncDisposable {
  readonly #source: Source;
  readonly #isShared: boolean;
  readonly #held = new Map<string, HeldRole>();
  readonly #timer: NodeJS.Timeout;
  #renewing: Promise<void> | undefined;
  #fault: Error | undefined;

  /** `isShared`: other machines work on the sessions too, so one that another process takes over continues there. */
  constructor(source: Source, isShared: boolean) {
    this.#source = source;
    this.#isShared = isShared;
    this.#timer = setInterval(() => {
      this.#renewing ??= this.#renew().finally(() => {
        this.#renewing = undefined;
      });
    }, renewMs);
    this.#timer.unref();
  }

  holds(session: string): boolean {
    return this.#held.has(session);
  }

  /** The role, for changes that depend on it. */
  held(session: string): HeldRole | undefined {
    return this.#held.get(session);
  }

  /** Throws if a process on another machine conducts the session: it continues there. */
  async take(session: string): Promise<void> {
    const heldBy = await this.#ask(session);
    if (heldBy !== undefined) throw await conductedElsewhere(this.#source.engine, session, heldBy);
  }

  /** Takes the role if no living process has it. */
  async tryTake(session: string): Promise<boolean> {
    return (await this.#ask(session)) === undefined;
  }

  /** Returns the role if another process has it. */
  async #ask(session: string): Promise<Role | undefined> {
    if (this.#held.has(session)) return undefined;
    const { engine, call } = this.#source;
    const taken = await takeRole(engine, conductorRole(session), call);
    if ("epoch" in taken) {
      this.#held.set(session, taken);
      return undefined;
    }
    const { holder, epoch, name } = taken.heldBy;
    const self = engine.identityOf(process.pid);
    if (holder === null || self === undefined || !isSameProcess(holder, self)) return taken.heldBy;
    this.#held.set(session, { name, epoch }); // reserved when the session was named
    return undefined;
  }

  /** Why this process must stop, if another one has taken over. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    const { engine, call } = this.#source;
    for (const held of this.#held.values()) await endRole(engine, held, call);
  }

  async #renew(): Promise<void> {
    const { engine, call } = this.#source;
    for (const [session, held] of this.#held) {
      // A ledger that cannot be reached is no reason to stop: the epoch decides when it can be reached again.
      const isRenewed = await renewRole(engine, held, call).catch(() => true);
      if (isRenewed) continue;
      const why = await whyNotHolder(engine, held).catch(() => undefined);
      if (why === undefined) continue;
      this.#held.delete(session);
      if (!this.#isShared) this.#fault ??= new StoreFault("busy", why.reason);
    }
  }
}
