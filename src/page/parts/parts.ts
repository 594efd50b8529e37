import { html } from "htm/preact";
import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import type { NamedTask, Tone } from "../../contract/board.ts";
import { duration, shortNumber } from "../../core/text/amounts.ts";
import { useNow } from "./store.ts";

export type Shown = ComponentChildren;

/** A state in words, with its colour. */
export function Chip({ tone, children }: { readonly tone: Tone; readonly children: Shown }): VNode {
  return html`<span class=${`chip ${tone}`}>${children}</span>`;
}

/** How long ago, kept up to date; the exact time as a title. */
export function Age({
  at,
  suffix = "",
}: {
  readonly at: string | null;
  readonly suffix?: string;
}): VNode | null {
  const now = useNow(5000);
  if (at === null) return null;
  return html`<time datetime=${at} title=${new Date(at).toLocaleString()}>${ageText(at, now)}${suffix}</time>`;
}

function ageText(at: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(at)) / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  return duration(seconds).replace(/ .*$/, "");
}

export function timeText(at: string): string {
  return new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

export function dayText(at: string): string {
  return new Date(at).toLocaleDateString([], { year: "numeric", month: "short", day: "numeric" });
}

export function money(usd: number): string {
  return `$${usd < 10 ? usd.toFixed(2) : usd.toFixed(usd < 1000 ? 1 : 0)}`;
}

interface Spent {
  readonly used: number;
  readonly max: number | null;
  /** A second amount, such as money. */
  readonly also?: string | undefined;
  text(value: number): string;
}

/** How much of a budget is used. */
export function Budget({ used, max, also, text }: Spent): VNode {
  const share = max === null || max === 0 ? 0 : Math.min(1, used / max);
  const level = share >= 0.9 ? "bad" : share >= 0.7 ? "person" : "run";
  const limit = max === null ? null : html`<span class="muted"> / ${text(max)}</span>`;
  return html`<span class="budget" title=${max === null ? undefined : `${text(used)} of ${text(max)}`}>
    <span class="number amounts"><span>${text(used)}${limit}</span>${also === undefined ? null : html`<span class="muted">${also}</span>`}</span>
    ${max === null ? null : html`<span class="track"><span class=${`fill ${level}`} style=${{ width: `${share * 100}%` }}></span></span>`}
  </span>`;
}

export const tokens = (value: number) => shortNumber(value);

/** A command to copy. */
export function Command({ line }: { readonly line: string }): VNode {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(line).then(
      () => setCopied(true),
      () => setCopied(false),
    );
    setTimeout(() => setCopied(false), 1500);
  };
  return html`<span class="command">
    <code>${line}</code>
    <button type="button" class="copy" onClick=${copy} aria-label=${`Copy ${line}`}>${isCopied ? "copied" : "copy"}</button>
  </span>`;
}

export function TaskLink({ task }: { readonly task: NamedTask }): VNode {
  return html`<a class="task-link" href=${taskPath(task.key)} title=${`${task.name}: ${task.word}`}>
    <span class=${`dot ${task.tone}`} aria-hidden="true"></span>${task.name}<span class="sr">, ${task.word}</span></a>`;
}

export function taskPath(key: string): string {
  return `/task/${key.split("/").map(encodeURIComponent).join("/")}`;
}

/** What to do where there is nothing. */
export function Empty({ title, children }: { readonly title: string; readonly children?: Shown }): VNode {
  return html`<div class="empty"><p class="empty-title">${title}</p><div>${children}</div></div>`;
}

/** Texts with \`commands\` in them. */
export function Marked({ text }: { readonly text: string }): VNode {
  return html`<span dir="auto">${text
    .split(/(`[^`\n]+`)/)
    .map((part) =>
      part.length > 2 && part.startsWith("`") && part.endsWith("`")
        ? html`<code>${part.slice(1, -1)}</code>`
        : part,
    )}</span>`;
}

/** Loading and failing in words. */
export function Loading({
  what,
  fault,
}: {
  readonly what: string;
  readonly fault: string | undefined;
}): VNode {
  return fault === undefined
    ? html`<p class="loading" role="status">Reading ${what}…</p>`
    : html`<p class="fault" role="alert">${what} cannot be read: ${fault}</p>`;
}

export function Section({
  title,
  aside,
  children,
  id,
}: {
  readonly title: string;
  readonly aside?: Shown;
  readonly children?: Shown;
  readonly id?: string;
}): VNode {
  return html`<section class="section" aria-labelledby=${id === undefined ? undefined : `${id}-title`} id=${id}>
    <div class="section-head"><h2 id=${id === undefined ? undefined : `${id}-title`}>${title}</h2>${aside}</div>
    ${children}
  </section>`;
}

export function ViewHead({
  title,
  about,
  children,
}: {
  readonly title: string;
  readonly about?: Shown;
  readonly children?: Shown;
}): VNode {
  return html`<header class="view-head">
    <div class="view-title"><h1>${title}</h1>${about === undefined ? null : html`<p class="about">${about}</p>`}</div>
    ${children === undefined ? null : html`<div class="controls">${children}</div>`}
  </header>`;
}
