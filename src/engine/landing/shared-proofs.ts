import type { ProofRequest, ProofResult } from "../../core/proof/proof-request.ts";
import type { Role } from "../../ledger/ledger.ts";
import { type Admitted, commit, internal } from "../change/door.ts";
import type { Engine } from "../change/engine.ts";
import { type HeldRole, isHeld, roleSeconds } from "../change/hold-role.ts";

/*
 * Runs of checks that machines do for each other.
 *
 * The ledger has a fixed number of proof slots. Each slot is a role. The integrator offers a run by writing it into a
 * free slot. One machine at a time holds the role and does the run; it writes the result into the slot, and the
 * integrator empties the slot. The epoch refuses a machine that comes too late, as for every role.
 */

type Source = Pick<Engine, "ledger" | "clock" | "isAlive" | "identityOf" | "pause">;

/** A request, with the slot that it is in. */
export interface OfferedProof extends HeldRole {
  readonly request: ProofRequest;
  /** Whether a living machine does the run. */
  readonly isTaken: boolean;
}

/** Slots of an integrator that died are used again after this time. */
const abandonedMs = 30 * 60_000;
const slotNames = Array.from({ length: 64 }, (_, at) => `proof ${at}`);
const roundsMax = 50;

/** All requests, the oldest first. */
export async function offeredProofs(
  engine: Pick<Source, "ledger" | "clock" | "isAlive">,
): Promise<readonly OfferedProof[]> {
  const offered = (await engine.ledger.roles()).flatMap((role) => {
    const { name, epoch, proof: request } = role;
    return request === undefined ? [] : [{ name, epoch, request, isTaken: isHeld(engine, role) }];
  });
  return offered.sort((one, other) => one.request.askedMs - other.request.askedMs);
}

/** Puts a request into a free slot. Undefined if all slots are in use: the integrator does the run itself. */
export const offerProof = internal("offer-proof", offer);

async function offer(
  engine: Source,
  request: Omit<ProofRequest, "askedMs" | "result">,
  call: Admitted,
): Promise<ProofRequest | undefined> {
  for (let round = 0; round < roundsMax; round += 1) {
    const { monoMs: askedMs } = engine.clock.now();
    const roles = new Map((await engine.ledger.roles()).map((role) => [role.name, role]));
    const name = slotNames.find((one) => isFree(engine, roles.get(one)));
    if (name === undefined) return undefined;
    const proof = { ...request, askedMs, result: null };
    const { version = 0, epoch = 0 } = roles.get(name) ?? {};
    const role = { ...emptySlot(engine, name), version, epoch: epoch + 1, proof };
    const committed = await commit(engine.ledger, call, { roles: [role], durable: false });
    if ("ok" in committed) return proof;
    await engine.pause(round);
  }
  return undefined;
}

function emptySlot({ clock }: Pick<Source, "clock">, name: string): Role {
  const { boot, monoMs } = clock.now();
  const lease = { boot, beatMs: monoMs, timeoutSeconds: roleSeconds };
  return { name, version: 0, epoch: 0, holder: null, lease, leaseState: "over" };
}

function isFree(engine: Pick<Source, "clock" | "isAlive">, role: Role | undefined): boolean {
  if (role?.proof === undefined) return true;
  return engine.clock.now().monoMs - role.proof.askedMs > abandonedMs && !isHeld(engine, role);
}

/** Takes the run of a request. `taken`: another machine does it, or has done it. `gone`: the slot is used otherwise. */
export const takeProof = internal("take-proof", take);

async function take(engine: Source, id: string, call: Admitted): Promise<HeldRole | "taken" | "gone"> {
  const holder = engine.identityOf(process.pid) ?? null;
  let isTaken = false;
  const held = await change(engine, call, id, (role) => {
    isTaken = role.proof?.result !== null || isHeld(engine, role);
    const { lease } = emptySlot(engine, role.name);
    return isTaken ? undefined : { ...role, holder, lease, leaseState: "running", epoch: role.epoch + 1 };
  });
  return held || (isTaken ? "taken" : "gone");
}

/** Hands over the result of a run that this process took; of no effect if another machine has taken it since. */
export const finishProof = internal("finish-proof", finish);

async function finish(
  engine: Source,
  { id, held, result }: { readonly id: string; readonly held: HeldRole; readonly result: ProofResult },
  call: Admitted,
): Promise<void> {
  await change(engine, call, id, (role) =>
    role.proof === undefined || role.epoch !== held.epoch
      ? undefined
      : { ...role, leaseState: "over", proof: { ...role.proof, result } },
  );
}

/** Empties the slot of a request: its result was read, or is no longer needed. */
export const withdrawProof = internal("withdraw-proof", withdraw);

async function withdraw(engine: Source, id: string, call: Admitted): Promise<void> {
  await change(engine, call, id, ({ proof: _proof, ...role }) => ({
    ...role,
    leaseState: "over",
    epoch: role.epoch + 1,
  }));
}

/** Changes the slot of a request. False if no slot contains it, or `next` leaves the slot as it is. */
async function change(
  { ledger, pause }: Source,
  call: Admitted,
  id: string,
  next: (role: Role) => Role | undefined,
): Promise<HeldRole | false> {
  for (let round = 0; round < roundsMax; round += 1) {
    const role = (await ledger.roles()).find(({ proof }) => proof?.id === id);
    const changed = role === undefined ? undefined : next(role);
    if (changed === undefined) return false;
    const committed = await commit(ledger, call, { roles: [changed], durable: false });
    if ("ok" in committed) return { name: changed.name, epoch: changed.epoch };
    await pause(round);
  }
  return false;
}
