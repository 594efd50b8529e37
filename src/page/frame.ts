import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { Overview } from "../contract/board.ts";
import { shortNumber } from "../core/text/amounts.ts";
import { Command, Marked, money, type Shown } from "./parts/parts.ts";
import { type Connection, useBoard } from "./parts/store.ts";
import { machineTone } from "./views/machines.ts";

interface Place {
  readonly path: string;
  readonly title: string;
  count?(overview: Overview): number;
}

/** In the order in which a person needs them. */
const places: readonly Place[] = [
  { path: "/", title: "Needs you", count: ({ needs }) => needs },
  { path: "/tasks", title: "Tasks", count: ({ total }) => total },
  { path: "/timeline", title: "Timeline" },
  { path: "/locks", title: "Locks" },
  {
    path: "/landed",
    title: "Landed",
    count: ({ landed }) => landed,
  },
  { path: "/guard", title: "Guard" },
  { path: "/cost", title: "Cost" },
  { path: "/plan", title: "Plan" },
];

/** Navigation, the state of the run and of the connection, around every view. */
export function Frame({ children }: { readonly children: Shown }): VNode {
  const { overview, connection, path } = useBoard();
  const [bare = ""] = path.split("?");
  const at = bare.startsWith("/task/") ? "/tasks" : bare === "/needs" ? "/" : bare;
  const here = places.find((place) => place.path === at);
  useEffect(
    () => document.querySelector(".place.here")?.scrollIntoView({ block: "nearest", inline: "nearest" }),
    [at],
  );
  document.title = titleOf(overview, here?.title ?? "Lockstep");
  return html`<div class="frame">
    <a class="skip" href="#main">Skip to the content</a>
    <aside class="side">
      <a class="brand" href="/"><img src="/board.svg" alt="" width="22" height="22" /><span>${overview?.project ?? "lockstep"}</span></a>
      <nav aria-label="Views"><ul class="places">${places.map(
        (place) => html`<li key=${place.path}>
        <${PlaceLink} place=${place} overview=${overview} isHere=${place.path === at} /></li>`,
      )}</ul></nav>
      <${State} overview=${overview} connection=${connection} />
    </aside>
    <main id="main" tabindex="-1">
      ${connection === "lost" ? html`<p class="lost" role="status">The connection to the server is lost. This page shows the last state and reconnects by itself; <code>lockstep board</code> starts the server again.</p>` : null}
      ${(overview?.remarks ?? []).map(({ tone, text }) => html`<p class=${`banner ${tone}`} key=${text}><${Marked} text=${text} /></p>`)}
      ${children}
    </main>
  </div>`;
}

function titleOf(overview: Overview | null, view: string): string {
  const needs = overview?.needs ?? 0;
  return `${needs > 0 ? `(${needs}) ` : ""}${view} · ${overview?.project ?? "Lockstep"}`;
}

function PlaceLink({
  place,
  overview,
  isHere,
}: {
  readonly place: Place;
  readonly overview: Overview | null;
  readonly isHere: boolean;
}): VNode {
  const count = overview === null ? undefined : place.count?.(overview);
  const isUrgent = place.path === "/" && (count ?? 0) > 0;
  return html`<a href=${place.path} class=${`place${isHere ? " here" : ""}`} aria-current=${isHere ? "page" : undefined}>
    <span>${place.title}</span>${count === undefined ? null : html`<span class=${`count${isUrgent ? " urgent" : ""}`}>${shortNumber(count)}</span>`}
  </a>`;
}

const connections: Readonly<Record<Connection, string>> = {
  opening: "opening",
  live: "live",
  lost: "reconnecting",
  closed: "closed",
};

function State({
  overview,
  connection,
}: {
  readonly overview: Overview | null;
  readonly connection: Connection;
}): VNode {
  return html`<div class="state">
    <p><span class=${`dot ${connection === "live" ? "good" : "wait"}`} aria-hidden="true"></span>
      <span role="status">${connections[connection]}</span>${overview?.may === "look" ? ", look only" : ""}</p>
    ${
      overview === null
        ? null
        : html`
      <p class="muted">${runText(overview)}</p>
      ${overview.run === null ? null : html`<p class="muted">${overview.run.isolation}</p>`}
      <p class="muted">${shortNumber(overview.tokens)} tokens${overview.costUsd === null ? "" : `, ${money(overview.costUsd)}`}</p>
      ${
        overview.machines.length === 0
          ? null
          : html`<ul class="machines-short muted" aria-label="Machines">${overview.machines.map(
              (
                machine,
              ) => html`<li key=${machine.name}><span class=${`dot ${machineTone(machine)}`} aria-hidden="true">
        </span> <bdi>${machine.name}</bdi>: ${machine.word}</li>`,
            )}</ul>`
      }`
    }
  </div>`;
}

/** A run of this machine, else one that another machine conducts. */
function runText({ run, machines }: Overview): string {
  if (run !== null) return `a run is active, process ${run.pid}`;
  const [other] = machines.filter(({ isGone, conducts }) => !isGone && conducts.length > 0);
  return other === undefined ? "no run is active" : `${other.name} conducts ${other.conducts.join(", ")}`;
}

/** In place of the views, for a page without a session. */
export function Closed({ why }: { readonly why: string }): VNode {
  return html`<main class="closed" id="main">
    <img src="/board.svg" alt="" width="40" height="40" />
    <h1>Open the board from your terminal</h1>
    <p>The board shows your repository and can answer for you, so each page is opened by a link that works once, for a minute.</p>
    <${Command} line="lockstep board" />
    ${why === "" ? null : html`<p class="muted" role="status"><${Marked} text=${why} /></p>`}
  </main>`;
}
