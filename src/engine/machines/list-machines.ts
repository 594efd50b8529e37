import { hasLapsed, isGone } from "../../core/leases/lease.ts";
import { dataOf } from "../../ledger/event-data.ts";
import type { Machine, Survey } from "../../ledger/ledger.ts";
import type { Engine } from "../change/engine.ts";
import { isConductorRole, isMemberRole, sessionOfRole } from "../change/hold-role.ts";

type Surveyed = Pick<Survey, "machines" | "roles" | "attempts" | "events">;
type Source = Pick<Engine, "clock" | "machine">;

export type MachineStatus = ReturnType<typeof machinesIn>[number];

/** The machines that share the ledger, with what they offer and do; empty if it belongs to one. */
export function machinesIn({ clock, machine: own }: Source, survey: Surveyed) {
  const now = clock.now();
  const running = survey.roles.filter(({ lease }) => !hasLapsed(lease, now));
  return survey.machines
    .filter((one) => !isForgotten(one, survey.events["machine.forgotten"]))
    .map(({ id, name, lockstep, beatMs }) => {
      const gone = isGone({ beatMs }, now);
      const roles = running.filter(({ holder }) => holder?.machine === id);
      const offers = roles.filter(isMemberRole).flatMap(({ offer }) => offer ?? []);
      const here = survey.attempts.filter(
        ({ machine, leaseState }) => machine === id && leaseState !== "over",
      );
      return {
        ...{ id, name, lockstep, is_this: id === own },
        last_seen_at: new Date(beatMs).toISOString(),
        /** Not heard from for two minutes: switched off, or `dead` if it has not given back what it held. */
        gone,
        dead: gone && (here.length > 0 || survey.roles.some(({ holder }) => holder?.machine === id)),
        slots: offers.reduce((sum, { slots }) => sum + slots, 0),
        labels: [...new Set(offers.flatMap(({ labels }) => labels))],
        draining: offers.length > 0 && offers.every(({ draining }) => draining),
        /** Why it does not do some tasks. */
        lacks: [...new Set(offers.flatMap(({ lacks }) => lacks))],
        /** What it runs, and what it has in review or with a person. */
        tasks: here.filter(({ leaseState }) => leaseState === "running").map(({ task }) => task),
        holds: here.filter(({ leaseState }) => leaseState === "held").map(({ task }) => task),
        conducts: roles.filter(isConductorRole).map(sessionOfRole),
      };
    });
}

/** A machine that a person removed from the list, unless it came back since. */
function isForgotten({ id, beatMs }: Machine, forgotten: Survey["events"]["machine.forgotten"]): boolean {
  return forgotten.some(
    (event) =>
      dataOf(event, "machine.forgotten")?.machine === id && Date.parse(event.at) >= Math.floor(beatMs),
  );
}
