import { html } from "htm/preact";
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Acted, Action, ActRequest } from "../../contract/board.ts";
import { Command, Marked } from "./parts.ts";
import { client, messageOf, refresh } from "./store.ts";

/** What became of a request, in words. */
export function Outcome({ acted }: { readonly acted: Acted | undefined }): VNode | null {
  if (acted === undefined) return null;
  return html`<div class=${`outcome ${acted.ok ? "good" : "bad"}`} role=${acted.ok ? "status" : "alert"}>
    <p dir="auto">${acted.ok ? "" : html`<code>${acted.code}</code> `}<${Marked} text=${acted.text} /></p>
    ${
      acted.lines.length === 0
        ? null
        : html`<ul>${acted.lines.map(
            (line) => html`<li key=${line} dir="auto">
      <${OutcomeLine} text=${line} /></li>`,
          )}</ul>`
    }
  </div>`;
}

/** A line that is a command, or that ends with one, has it to copy. */
function OutcomeLine({ text }: { readonly text: string }): VNode {
  const [, before = "", line] = /^(to [a-z ]+: )?((?:cd|lockstep) .+)$/.exec(text) ?? [];
  return line === undefined ? html`<${Marked} text=${text} />` : html`${before}<${Command} line=${line} />`;
}

/** Sends a request once at a time and keeps its outcome. `done` hears of what was carried out. */
export function useAct(done?: (acted: Acted) => void) {
  const [acted, setActed] = useState<Acted | undefined>(undefined);
  const [busy, setBusy] = useState<string | undefined>(undefined);
  const send = async (request: ActRequest, what: string): Promise<boolean> => {
    setBusy(what);
    setActed(undefined);
    try {
      const answer = await client.act(request);
      setActed(answer);
      const isTrial = request.do === "rollback" && request.dryRun;
      if (answer.ok && !isTrial) done?.(answer);
      return answer.ok;
    } catch (error) {
      setActed({ ok: false, code: "E-BOARD", text: messageOf(error), lines: [] });
      return false;
    } finally {
      setBusy(undefined);
      refresh();
    }
  };
  return { acted, busy, send };
}

/** The next actions of a task, each with its command. */
export function Actions({
  task,
  actions,
  done,
}: {
  readonly task: string;
  readonly actions: readonly Action[];
  done?(acted: Acted): void;
}): VNode {
  const [open, setOpen] = useState<Action["name"] | undefined>(undefined);
  const { acted, busy, send } = useAct(done);
  const [isTried, setTried] = useState(false);
  const chosen = actions.find(({ name }) => name === open);
  const choose = (name: Action["name"]) => {
    setTried(false);
    setOpen(name === open ? undefined : name);
  };
  const run = async (request: ActRequest, label: string) => {
    const isDone = await send(request, label);
    if (request.do === "rollback" && request.dryRun) setTried(isDone);
    else if (isDone) setOpen(undefined);
  };
  return html`<div class="actions">
    ${client.may === "act" || actions.length === 0 ? null : html`<p class="muted">This page is read-only. <code>lockstep board</code> in your terminal opens one that can act.</p>`}
    <div class="buttons">${actions.map(
      ({ name, label }) => html`<button type="button" key=${name}
      class=${`button${name === "rollback" ? " danger" : ""}`} aria-expanded=${name === open}
      disabled=${client.may !== "act" || busy !== undefined} onClick=${() => choose(name)}>${label}</button>`,
    )}</div>
    ${
      chosen === undefined
        ? null
        : html`<${ActionForm} key=${chosen.name} task=${task} action=${chosen}
      isTried=${isTried} busy=${busy} run=${run} />`
    }
    ${busy === undefined ? null : html`<p class="muted" role="status">${busy}: working on it…</p>`}
    <${Outcome} acted=${acted} />
  </div>`;
}

interface FormProps {
  readonly task: string;
  readonly action: Action;
  readonly isTried: boolean;
  readonly busy: string | undefined;
  run(request: ActRequest, label: string): Promise<void>;
}

function ActionForm({ task, action, isTried, busy, run }: FormProps): VNode {
  const form = useRef<HTMLFormElement>(null);
  const send = (event: Event) => {
    event.preventDefault();
    const read = new FormData(form.current ?? undefined);
    const text = (name: string) => String(read.get(name) ?? "").trim();
    void run(requestOf(action.name, task, { text, isTried }), action.label);
  };
  return html`<form class="act-form" ref=${form} onSubmit=${send}>
    <p>${action.label} ${action.does}.</p>
    ${
      action.asks.includes("paths")
        ? html`<label>Paths, one per line<textarea name="paths" rows="2" required placeholder="src/tax">
      </textarea></label>`
        : null
    }
    ${action.asks.includes("why") ? html`<label>What they are needed for<input name="why" required autocomplete="off" /></label>` : null}
    ${action.asks.includes("note") ? html`<label>Your note for the next attempt<textarea name="note" rows="3" required></textarea></label>` : null}
    <div class="form-foot">
      <button type="submit" class=${`button primary${action.name === "rollback" && isTried ? " danger" : ""}`}
        disabled=${busy !== undefined}>${submitLabel(action, isTried)}</button>
      <${Command} line=${action.name === "rollback" && isTried ? action.command.replace(" --dry-run", "") : action.command} />
    </div>
  </form>`;
}

function submitLabel({ name, label }: Action, isTried: boolean): string {
  if (name !== "rollback") return label;
  return isTried ? "Roll back now" : "Try it (dry run)";
}

function requestOf(
  name: Action["name"],
  task: string,
  { text, isTried }: { text: (field: string) => string; isTried: boolean },
): ActRequest {
  switch (name) {
    case "resolve":
      return { do: name, task, note: text("note") };
    case "widen": {
      const paths = text("paths")
        .split("\n")
        .map((path) => path.trim())
        .filter(Boolean);
      return { do: name, task, paths, why: text("why") };
    }
    case "rollback":
      return { do: name, task, dryRun: !isTried };
    default:
      return { do: name, task };
  }
}
