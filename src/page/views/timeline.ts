import { html } from "htm/preact";
import type { VNode } from "preact";
import type { Timeline, TimelineBar } from "../../contract/board.ts";
import { counted, duration } from "../../core/text/amounts.ts";
import {
  Command,
  dayText,
  Empty,
  Loading,
  Section,
  TaskLink,
  taskPath,
  timeText,
  ViewHead,
} from "../parts/parts.ts";
import { SessionSelect } from "../parts/session-select.ts";
import { amend, useView } from "../parts/store.ts";
import { Machines } from "./machines.ts";

/** Why a run took as long as it did. */
export function TimelineView({ query }: { readonly query: URLSearchParams }): VNode {
  const session = query.get("session") ?? "";
  const { document: line, fault } = useView("timeline", { session: session || undefined });
  const choose = (name: string) =>
    amend(`/timeline${name === "" ? "" : `?session=${encodeURIComponent(name)}`}`);
  const head = html`<${ViewHead} title="Timeline" about=${line === undefined ? undefined : aboutText(line)}>
    <${SessionSelect} value=${session} all="Newest session" onChange=${choose} /><//>`;
  if (line === undefined) return html`${head}<${Loading} what="the timeline" fault=${fault} />`;
  if (line.bars.length === 0)
    return html`${head}<${Machines} /><${Empty} title="Nothing has run yet">
      <p>Attempts and proofs appear here as bars, one lane for each slot.</p><${Command} line="lockstep run" /><//>`;
  return html`${head}<${Shares} line=${line} /><${Lanes} line=${line} /><${Machines} />
    ${
      line.critical.length < 2
        ? null
        : html`<${Section} title="Critical path" id="critical">
      <p class="muted">Each of these waited for the one before it. Only a shorter path makes the run shorter.</p>
      <p class="links">${line.critical.map(
        (
          task,
          at,
        ) => html`<span key=${task.key}>${at === 0 ? null : html`<span class="arrow" aria-hidden="true">→</span>`}<${TaskLink} task=${task} />
      </span>`,
      )}</p><//>`
    }`;
}

function aboutText({ session, from, to, bars, hidden }: Timeline): string {
  const took = duration(Math.max(0, Math.round((to - from) / 1000)));
  return bars.length === 0
    ? ""
    : `${session ?? "Tasks without a session"} took ${took} so far${hidden === 0 ? "" : `; ${counted(hidden, "older bar")} not shown`}.`;
}

function Shares({ line: { shares } }: { readonly line: Timeline }): VNode {
  const total = shares.reduce((sum, { seconds }) => sum + seconds, 0) || 1;
  return html`<${Section} title="Where the time went" id="shares">
    <div class="shares" role="img"
      aria-label=${shares.map(({ what, seconds }) => `${what}: ${Math.round((seconds / total) * 100)} percent`).join(", ")}>
      ${shares.map(({ what, seconds, tone }) =>
        seconds === 0
          ? null
          : html`<span key=${what} class=${`share ${tone}`} style=${{ flexGrow: seconds }}>
        </span>`,
      )}
    </div>
    <ul class="legend">${shares.map(
      ({ what, seconds, tone }) => html`<li key=${what}>
      <span class=${`swatch ${tone}`} aria-hidden="true">
      </span>${what} <strong class="number">${Math.round((seconds / total) * 100)} %</strong> <span class="muted number">${duration(seconds)}</span>
      </li>`,
    )}</ul>
    <p class="muted">Time of all tasks together, so it adds up to more than the run took.</p>
  <//>`;
}

const laneHeight = 38;
const ticksMax = 6;

function Lanes({ line }: { readonly line: Timeline }): VNode {
  const { from, to, lanes, bars, marks } = line;
  const span = Math.max(1, to - from);
  const share = (at: number) => `${((Math.min(Math.max(at, from), to) - from) / span) * 100}%`;
  const isDays = dayText(new Date(from).toISOString()) !== dayText(new Date(to).toISOString());
  const ticks = Array.from({ length: ticksMax }, (_, at) => from + (span * at) / (ticksMax - 1));
  return html`<${Section} title="Slots" id="lanes" aside=${html`<ul class="legend inline"><li>
    <span class="swatch good"></span>accepted</li><li><span class="swatch bad"></span>refused or failed</li><li>
    <span class="swatch run"></span>not over</li><li><span class="swatch person">
    </span>waits for or ended by a person</li><li><span class="swatch proof"></span>review and proof</li></ul>`}>
    <div class="lanes" tabindex="0" role="region" aria-label="Attempts and proofs over time">
      <div class="lanes-inner">
        <div class="ticks" aria-hidden="true">${ticks.map(
          (at) => html`<span key=${at} style=${{ left: share(at) }}>
          ${tickText(at, span, isDays)}</span>`,
        )}</div>
        ${lanes.map(
          (name, lane) => html`<div class="lane" key=${name} style=${{ height: `${laneHeight}px` }}>
          <span class="lane-name">${name}</span>
          <div class="lane-bars">${bars
            .filter((bar) => bar.lane === lane)
            .map(
              (bar) => html`<${Bar}
            key=${`${bar.task} ${bar.kind} ${bar.from}`} bar=${bar} left=${share(bar.from)}
            width=${`${(Math.max(0, bar.to - bar.from) / span) * 100}%`} />`,
            )}</div>
          </div>`,
        )}
        <div class="marks">${marks.map(
          (mark) => html`<span key=${`${mark.at} ${mark.kind}`} class=${`mark ${mark.kind}`}
            style=${{ left: share(mark.at) }} title=${`${timeText(new Date(mark.at).toISOString())}: ${mark.text}`}>
          <span class="sr">${mark.text}</span></span>`,
        )}</div>
      </div>
    </div>
    <p class="muted">▾ marks where the base moved. Bars with an edge are on the critical path.</p>
  <//>`;
}

const secondsBelowMs = 10 * 60_000;

function tickText(at: number, span: number, isDays: boolean): string {
  const clock = { hour: "2-digit", minute: "2-digit" } as const;
  if (isDays) return new Date(at).toLocaleString([], { month: "short", day: "numeric", ...clock });
  return new Date(at).toLocaleTimeString([], span < secondsBelowMs ? { ...clock, second: "2-digit" } : clock);
}

function Bar({
  bar,
  left,
  width,
}: {
  readonly bar: TimelineBar;
  readonly left: string;
  readonly width: string;
}): VNode {
  const took = duration(Math.round((bar.to - bar.from) / 1000));
  return html`<a class=${`bar ${bar.kind} ${bar.tone}${bar.isCritical ? " critical" : ""}`} href=${taskPath(bar.task)}
    style=${{ left, width }} title=${`${bar.name}, ${bar.text}, ${took}`}
    aria-label=${`${bar.name}, ${bar.text}, ${took}`}>
    <span>${bar.name}</span></a>`;
}
