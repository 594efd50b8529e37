import { html } from "htm/preact";
import type { VNode } from "preact";
import type { MachineItem, Tone } from "../../contract/board.ts";
import { Age, Chip, Section, TaskLink } from "../parts/parts.ts";
import { useBoard } from "../parts/store.ts";

export function machineTone({ isGone, isDraining }: MachineItem): Tone {
  return isGone ? "bad" : isDraining ? "wait" : "good";
}

/** The machines that share the ledger; nothing if it belongs to one. */
export function Machines(): VNode | null {
  const machines = useBoard().overview?.machines ?? [];
  if (machines.length === 0) return null;
  return html`<${Section} title="Machines" id="machines"><ul class="machines">${machines.map(
    (machine) => html`<li key=${machine.name}>
      <${Chip} tone=${machineTone(machine)}>${machine.word}<//>
      <span><strong><bdi>${machine.name}</bdi></strong>${machine.isThis ? " (this one)" : ""} <span class="muted">
        ${[
          ...(machine.labels.length === 0 ? [] : [`labels ${machine.labels.join(", ")}, `]),
          ...(machine.conducts.length === 0 ? [] : [`conducts ${machine.conducts.join(", ")}, `]),
        ]}seen <${Age} at=${machine.seenAt} suffix=" ago" />${machine.lacks.map((why) => `, lacks: ${why}`)}</span>
        </span>
      <span class="links">${machine.tasks.map((task) => html`<${TaskLink} key=${task.key} task=${task} />`)}</span>
    </li>`,
  )}</ul><//>`;
}
