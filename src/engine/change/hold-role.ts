import { hasLapsed } from "../../core/leases/lease.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import type { Offer, Role } from "../../ledger/ledger.ts";
import { isStoreFault, StoreFault } from "../../ledger/store-fault.ts";
import { type Admitted, commit, internal } from "./door.ts";
import type { Engine } from "./engine.ts";

/** A role that this process holds. Its epoch goes into every change that depends on the role. */
export interface HeldRole {
  readonly name: string;
  readonly epoch: number;
}

type Source = Pick<Engine, "ledger" | "clock" | "isAlive" | "identityOf" | "pause">;

/** How long a role outlives a holder on another machine that no longer renews it. */
export const roleSeconds = 60;

const roundsMax = 50;

/** Merges into one base branch of one repository. */
export function integratorRole(place: string, base: string): string {
  return `integrator ${place} ${base}`;
}

/** Conducts one session: its schedule, reviews, hooks and states. */
export function conductorRole(session: string): string {
  return `conductor ${session}`;
}

/** Runs attempts for the sessions of all machines, in one repository folder of one machine. */
export function memberRole(machine: string, folder: string): string {
  return `member ${machine} ${folder}`;
}

export function isMemberRole({ name }: Pick<Role, "name">): boolean {
  return name.startsWith("member ");
}

export function isConductorRole({ name }: Pick<Role, "name">): boolean {
  return name.startsWith("conductor ");
}

export function sessionOfRole({ name }: Pick<Role, "name">): string {
  return name.slice(conductorRole("").length);
}

interface Taking {
  readonly name: string;
  /** For a member. */
  readonly offer?: Offer;
}

/** Takes a role, or says who holds it. A holder that is dead or whose lease has ended is replaced. */
export const takeRole = internal("take-role", take);

async function take(
  engine: Source,
  asked: string | Taking,
  call: Admitted,
): Promise<HeldRole | { readonly heldBy: Role }> {
  const { name, ...more } = typeof asked === "string" ? { name: asked } : asked;
  const holder = engine.identityOf(process.pid) ?? null;
  for (let round = 0; round < roundsMax; round += 1) {
    const found = await engine.ledger.role(name);
    if (found !== undefined && isHeld(engine, found)) return { heldBy: found };
    const { boot, monoMs } = engine.clock.now();
    const epoch = (found?.epoch ?? 0) + 1;
    const lease = { boot, beatMs: monoMs, timeoutSeconds: roleSeconds };
    const role: Role = {
      name,
      version: found?.version ?? 0,
      epoch,
      holder,
      lease,
      leaseState: "running",
      ...more,
    };
    const committed = await commit(engine.ledger, call, { roles: [role] });
    if ("ok" in committed) return { name, epoch };
    await engine.pause(round);
  }
  throw new StoreFault("busy", `other processes kept taking the role \`${name}\`: try again`);
}

/** Whether a living process holds the role. */
export function isHeld(
  { clock, isAlive }: Pick<Engine, "clock" | "isAlive">,
  { leaseState, lease, holder }: Role,
): boolean {
  if (leaseState === "over") return false;
  const alive = holder === null ? "elsewhere" : isAlive(holder);
  // A process of this machine that lives may have been suspended with its lease: only its end frees the role.
  return alive === "elsewhere" ? !hasLapsed(lease, clock.now()) : alive === "yes";
}

/** Renews the lease, or ends it. Returns false if another process holds the role now. */
export const renewRole = internal("renew-role", renew);

async function renew(
  { ledger, clock, pause }: Source,
  { name, epoch, end = false, offer }: HeldRole & { readonly end?: boolean; readonly offer?: Offer },
  call: Admitted,
): Promise<boolean> {
  for (let round = 0; round < roundsMax; round += 1) {
    const role = await ledger.role(name);
    if (role === undefined || role.epoch !== epoch || role.leaseState === "over") return false;
    const { boot, monoMs } = clock.now();
    const renewed: Role = {
      ...role,
      lease: { ...role.lease, boot, beatMs: monoMs },
      leaseState: end ? "over" : "running",
      // Another machine may have asked this one to start nothing more.
      ...(offer === undefined ? {} : { offer: { ...offer, draining: role.offer?.draining ?? false } }),
    };
    const committed = await commit(ledger, call, { roles: [renewed], durable: end });
    if ("ok" in committed) return true;
    await pause(round);
  }
  return false;
}

/** Gives the role back. If the ledger cannot be used, the lease ends by itself. */
export async function endRole(
  engine: Source,
  held: HeldRole,
  call: Parameters<typeof renewRole>[2],
): Promise<void> {
  await renewRole(engine, { ...held, end: true }, call).catch((error: unknown) => {
    if (!isStoreFault(error)) throw error;
  });
}

/** The refusal of a process that no longer holds its role. */
export async function whyNotHolder(
  { ledger }: Pick<Engine, "ledger">,
  held: HeldRole | undefined,
): Promise<Deny | undefined> {
  if (held === undefined || (await ledger.role(held.name))?.epoch === held.epoch) return undefined;
  return deny(
    "R-LS-001",
    `another process has taken over \`${held.name}\` since epoch ${held.epoch}: stop, that process continues`,
    { role: held.name, epoch: held.epoch },
  );
}

/** What a change expects of the role that it depends on. */
export function expectRole(held: HeldRole | undefined) {
  return held === undefined ? {} : { expect: { roles: { [held.name]: held.epoch } } };
}
