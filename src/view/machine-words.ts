import { counted } from "../core/text/amounts.ts";
import type { MachineStatus } from "../engine/machines/list-machines.ts";

/** Whether a living process on some machine conducts a session. */
export function isConducted({
  machines = [],
}: {
  readonly machines?: readonly MachineStatus[] | undefined;
}): boolean {
  return machines.some(({ conducts }) => conducts.length > 0);
}

/** How a machine is, in one word or two: `1 of 4 slots`, `draining`, `dead`. */
export function machineWord({ dead, gone, draining, slots, tasks }: MachineStatus): string {
  if (dead) return "dead";
  if (gone) return "away";
  if (draining) return "draining";
  return slots === 0 ? "no slots" : `${tasks.length} of ${counted(slots, "slot")}`;
}

/** The machines that offer something, or died with it, in one line; undefined if there are none. */
export function machinesLine(machines: readonly MachineStatus[] = []): string | undefined {
  const shown = machines.filter(({ dead, slots }) => dead || slots > 0);
  if (shown.length === 0) return undefined;
  return `machines: ${shown.map((one) => `${one.name} ${machineWord(one)}`).join(", ")}`;
}
