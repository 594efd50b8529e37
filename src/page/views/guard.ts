import { html } from "htm/preact";
import type { VNode } from "preact";
import type { Compliance, GuardView as Guard } from "../../contract/board.ts";
import { counted } from "../../core/text/amounts.ts";
import {
  Age,
  Command,
  dayText,
  Empty,
  Loading,
  Marked,
  Section,
  taskPath,
  timeText,
  ViewHead,
} from "../parts/parts.ts";
import { useView } from "../parts/store.ts";

/** What was refused, to whom and when, and how well orchestrating agents followed the rules. */
export function GuardPage(): VNode {
  const { document: guard, fault } = useView("guard");
  if (guard === undefined)
    return html`<${ViewHead} title="Guard" /><${Loading} what="the refusals" fault=${fault} />`;
  const { total, scores } = guard;
  return html`<${ViewHead} title="Guard" about=${total === 0 ? undefined : `${counted(total, "refusal")}, of calls and of attempts.`} />
    ${
      total === 0
        ? html`<${Empty} title="Nothing was refused">
      <p>The guard judges the calls of interactive agents while tasks are at work, and the rules judge what every agent hands in.</p>
      <${Command} line="lockstep init" /><//>`
        : html`<${Refusals} guard=${guard} />`
    }
    ${scores.length === 0 ? null : html`<${Scores} scores=${scores} />`}`;
}

function Refusals({ guard }: { readonly guard: Guard }): VNode {
  const { rules, clients, latest } = guard;
  return html`<div class="two">
      <${Section} title="By rule" id="rules">
        <${Bars} rows=${rules.map(({ code, title, count }, at) => ({ name: code, title, count, colour: at }))} /><//>
      <${Section} title="By agent and client" id="clients">
        <${Bars} rows=${clients.map(({ name, count }) => ({ name, title: "", count, colour: -1 }))} /><//>
    </div>
    <${Section} title="Over time" id="time"><${Histogram} guard=${guard} /><//>
    <${Section} title="The latest" id="latest"><ol class="refusals">${latest.map(
      (one) => html`<li key=${one.seq}>
      <p>
        <code class="code-name">${one.code}</code> <strong dir="auto">
          ${one.target === "" ? one.tool || "refused" : one.target}</strong> <span class="muted">
          ${one.who}${one.tool === "" || one.target === "" ? "" : `, ${one.tool}`}${
            one.task === null
              ? ""
              : html`, <a
          href=${taskPath(one.task)}>${one.name}</a>`
          }, <${Age} at=${one.at} suffix=" ago" />
        </span></p>
      ${one.reason === "" ? null : html`<p class="pre"><${Marked} text=${one.reason} /></p>`}
    </li>`,
    )}</ol><//>`;
}

interface BarRow {
  readonly name: string;
  readonly title: string;
  readonly count: number;
  readonly colour: number;
}

function Bars({ rows }: { readonly rows: readonly BarRow[] }): VNode {
  const max = Math.max(1, ...rows.map(({ count }) => count));
  return html`<ul class="bars">${rows.map(
    ({ name, title, count, colour }) => html`<li key=${name}>
    <span class="bar-name"><code>${name}</code>${title === "" ? null : html`<span class="muted"> ${title}</span>`}</span>
    <span class="bar-line">
      <span class=${`bar-fill${colour < 0 ? "" : ` series-${colour}`}`} style=${{ width: `${(count / max) * 100}%` }}>
      </span></span><span class="number">${count}</span>
  </li>`,
  )}</ul>`;
}

const chart = { width: 960, height: 140, foot: 18 };

function Histogram({ guard: { buckets, rules, bucketSeconds } }: { readonly guard: Guard }): VNode {
  const max = Math.max(1, ...buckets.map(({ counts }) => counts.reduce((sum, one) => sum + one, 0)));
  const step = chart.width / Math.max(buckets.length, 30);
  const bars = buckets.flatMap(({ at, counts }, index) => {
    let y = chart.height - chart.foot;
    return counts.map((count, rule) => {
      const height = (count / max) * (chart.height - chart.foot - 8);
      y -= height;
      return count === 0
        ? null
        : html`<rect key=${`${at} ${rule}`} class=${`series-${rule}`} x=${index * step + 1} y=${y} width=${Math.max(1, step - 2)} height=${height}>
          <title>${`${dayText(at)} ${timeText(at)}: ${count} × ${rules[rule]?.code ?? ""}`}</title></rect>`;
    });
  });
  const [first, last] = [buckets[0], buckets.at(-1)];
  const label = (at: string) => (bucketSeconds < 86_400 ? `${dayText(at)}, ${timeText(at)}` : dayText(at));
  return html`<svg class="chart" viewBox=${`0 0 ${chart.width} ${chart.height}`} role="img"
    aria-label=${`Refusals over time, at most ${max} at once`}>
    <line class="axis" x1="0" x2=${chart.width} y1=${chart.height - chart.foot} y2=${chart.height - chart.foot} />${bars}
    ${first === undefined ? null : html`<text class="chart-text" x="0" y=${chart.height - 3}>${label(first.at)}</text>`}
    ${
      last === undefined || buckets.length < 12
        ? null
        : html`<text class="chart-text"
      x=${Math.max(300, step * buckets.length)} y=${chart.height - 3} text-anchor="end">${label(last.at)}</text>`
    }
  </svg>`;
}

const plot = { width: 960, height: 130 };

/** The scores of agent sessions, one after the other, and the score that passes. */
function Scores({ scores }: { readonly scores: readonly Compliance[] }): VNode {
  const newest = scores.at(-1);
  const passing = newest?.passing ?? 80;
  const step = plot.width / Math.max(1, scores.length);
  const x = (at: number) => step * (at + 0.5);
  const y = (score: number) => 10 + (1 - score / 100) * (plot.height - 20);
  return html`<${Section} title="Orchestrating agents" id="scores"
    aside=${
      newest === undefined
        ? undefined
        : html`<span
    class=${newest.score >= passing ? "good-text" : "bad-text"}>last score ${newest.score} of 100</span>`
    }>
    <svg class="chart" viewBox=${`0 0 ${plot.width} ${plot.height}`} role="img"
      aria-label=${`Compliance scores of ${counted(scores.length, "session")}; ${passing} passes`}>
      <line class="axis dashed" x1="0" x2=${plot.width} y1=${y(passing)} y2=${y(passing)} />
        <text class="chart-text" x="0" y=${y(passing) - 4}>${passing} passes</text>
      <polyline class="score-line" points=${scores.map(({ score }, at) => `${x(at)},${y(score)}`).join(" ")} />
      ${scores.map(
        (
          { session, at, score },
          index,
        ) => html`<circle key=${session} class=${score >= passing ? "score good" : "score bad"} cx=${x(index)} cy=${y(score)} r="5">
        <title>${`${session}, ${dayText(at)}: ${score}`}</title></circle>`,
      )}
    </svg>
    ${
      newest === undefined || newest.violations.length === 0
        ? html`<p class="muted">
      ${newest === undefined ? "" : `${counted(newest.calls, "call")}, no violation.`}</p>`
        : html`<ul class="findings">
      ${newest.violations.map(({ type, count }) => html`<li key=${type}>${count} × ${type}</li>`)}</ul>`
    }
  <//>`;
}
