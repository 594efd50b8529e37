import { html } from "htm/preact";
import type { VNode } from "preact";
import { useBoard } from "./store.ts";

interface Props {
  readonly value: string;
  /** What no choice means. */
  readonly all?: string;
  onChange(session: string): void;
}

/** Which run is shown. */
export function SessionSelect({ value, all = "All sessions", onChange }: Props): VNode | null {
  const sessions = useBoard().overview?.sessions ?? [];
  if (sessions.length === 0) return null;
  return html`<label class="select"><span class="sr">Session</span>
    <select value=${value} onChange=${(event: Event) => onChange((event.currentTarget as HTMLSelectElement).value)}>
    <option value="">${all}</option>
    ${sessions.map(({ name, state }) => html`<option key=${name} value=${name}>${name} (${state.toLowerCase()})</option>`)}
  </select></label>`;
}
