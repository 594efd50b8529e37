import { hasLapsed, isLive } from "../../core/leases/lease.ts";
import { allow, type Deny, deny, type Verdict } from "../../core/rules/verdict.ts";
import { counted } from "../../core/text/amounts.ts";
import type { Role } from "../../ledger/ledger.ts";
import type { Admitted } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { isMemberRole } from "../change/hold-role.ts";
import { settle } from "../change/settle.ts";
import { type MachineStatus, machinesIn } from "./list-machines.ts";

export interface MachineInput {
  /** Its name, or its id or the beginning of it. */
  readonly machine: string;
}

export async function listMachines(engine: Engine): Promise<{ readonly machines: readonly MachineStatus[] }> {
  return { machines: machinesIn(engine, await engine.ledger.survey()) };
}

/** The processes of a machine start nothing more; a worker ends when its tasks have ended. */
export function drainMachine(engine: Engine, input: MachineInput, call: Admitted): Promise<Verdict> {
  return settle(engine, { operation: "machine-drain", input, call }, async () => {
    const found = await findMachine(engine, input.machine);
    if ("allow" in found) return { verdict: found };
    const { id, name, tasks } = found;
    const members = await membersOn(engine, id);
    const details = { machine: id, name, tasks };
    if (members.length === 0) {
      const reason = `machine \`${name}\` offers nothing: no \`lockstep worker\` or \`lockstep run\` is at work there`;
      return { verdict: deny("R-ST-001", reason, details) };
    }
    const roles = members.flatMap(({ offer, ...role }) =>
      offer === undefined || offer.draining ? [] : [{ ...role, offer: { ...offer, draining: true } }],
    );
    if (roles.length === 0) return { verdict: allow({ ...details, changed: false }) };
    const draft = new Draft(engine, { by: call, cause: "machine-drain" });
    draft.note({ type: "machine.drained", task: null, from: null, to: null, data: { machine: id, name } });
    return { verdict: allow({ ...details, changed: true }), change: await draft.toChange({ roles }) };
  });
}

/** Removes a machine that is gone for ever from the lists. If it comes back, it is listed again. */
export function forgetMachine(engine: Engine, input: MachineInput, call: Admitted): Promise<Verdict> {
  return settle(engine, { operation: "machine-forget", input, call }, async () => {
    const found = await findMachine(engine, input.machine);
    if ("allow" in found) return { verdict: found };
    const { id, name, is_this: isThis, gone } = found;
    const details = { machine: id, name };
    const refused = (why: string) => ({ verdict: deny("R-ST-001", `machine \`${name}\` ${why}`, details) });
    if (isThis) return refused("is this one: forget it from another machine");
    const now = engine.clock.now();
    const running = (await engine.ledger.runningAttempts()).filter(
      (attempt) => attempt.machine === id && isLive(attempt, now),
    );
    if (running.length > 0)
      return refused(
        `still has ${counted(running.length, "task")} whose leases run: wait for their end, or \`lockstep stop TASK\``,
      );
    if (!gone || (await membersOn(engine, id)).length > 0)
      return refused(`was seen ${found.last_seen_at}: stop it there, then forget it after two minutes`);
    const draft = new Draft(engine, { by: call, cause: "machine-forget" });
    draft.note({ type: "machine.forgotten", task: null, from: null, to: null, data: details });
    return { verdict: allow(details), change: await draft.toChange() };
  });
}

async function membersOn({ ledger, clock }: Engine, machine: string): Promise<readonly Role[]> {
  const now = clock.now();
  return (await ledger.roles()).filter(
    (role) =>
      isMemberRole(role) &&
      role.holder?.machine === machine &&
      role.leaseState === "running" &&
      !hasLapsed(role.lease, now),
  );
}

const idLengthMin = 4;

async function findMachine(engine: Engine, asked: string): Promise<MachineStatus | Deny> {
  const { machines } = await listMachines(engine);
  const named = machines.filter(({ name }) => name === asked);
  const fits = ({ id }: MachineStatus) => asked.length >= idLengthMin && id.startsWith(asked);
  const found = named.length > 0 ? named : machines.filter(fits);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const known = (only === undefined ? machines : found).map(({ id, name }) => `\`${name}\` (${id})`);
  if (known.length === 0)
    return deny("R-IN-001", "this ledger belongs to one machine: see docs/machines.md to share it");
  const what =
    only === undefined ? `there is no machine \`${asked}\`` : `several machines are called \`${asked}\``;
  const way = only === undefined ? "the known ones are" : "name one by its id:";
  return deny("R-IN-001", `${what}: ${way} ${known.join(", ")}`, { machine: asked });
}
