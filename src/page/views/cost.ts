import { html } from "htm/preact";
import type { VNode } from "preact";
import type { Cost, CostLine } from "../../contract/board.ts";
import { counted, duration, shortNumber } from "../../core/text/amounts.ts";
import { Command, Empty, Loading, money, Section, taskPath, ViewHead } from "../parts/parts.ts";
import { SessionSelect } from "../parts/session-select.ts";
import { amend, useView } from "../parts/store.ts";

/** Tokens, money and time, and what repeated work cost. */
export function CostView({ query }: { readonly query: URLSearchParams }): VNode {
  const session = query.get("session") ?? "";
  const { document: cost, fault } = useView("cost", { session: session || undefined });
  const choose = (name: string) => amend(`/cost${name === "" ? "" : `?session=${encodeURIComponent(name)}`}`);
  const head = html`<${ViewHead} title="Cost"
    about=${cost === undefined ? undefined : "As the clients report it. Time is that of the newest attempt of each task."}>
    <${SessionSelect} value=${session} onChange=${choose} /><//>`;
  if (cost === undefined) return html`${head}<${Loading} what="the cost" fault=${fault} />`;
  if (cost.tasks.length === 0)
    return html`${head}<${Empty} title="Nothing was spent yet"><p>What agents use is counted while they work.</p>
      <${Command} line="lockstep run" /><//>`;
  return html`${head}<${Totals} cost=${cost} />
    <div class="two"><${Section} title="By agent" id="agents"><${Lines} lines=${cost.agents} what="Agent" /><//>
      <${Section} title="By model" id="models"><${Lines} lines=${cost.models} what="Model" /><//></div>
    <${Section} title="By task" id="tasks">
      <${Lines} lines=${cost.tasks} what="Task" />
        ${cost.hidden === 0 ? null : html`<p class="muted">and ${counted(cost.hidden, "cheaper task")}</p>`}<//>`;
}

function Totals({ cost }: { readonly cost: Cost }): VNode {
  const { rework } = cost;
  const share = cost.tokens === 0 ? 0 : Math.round((rework.tokens / cost.tokens) * 100);
  const total = (name: string, value: string, more: string) =>
    html`<div class="total" key=${name}><dt>${name}</dt><dd class="number">${value}</dd><dd class="muted">${more}</dd></div>`;
  return html`<dl class="totals">
    ${total("Tokens", shortNumber(cost.tokens), counted(cost.tasks.length + cost.hidden, "task"))}
    ${total("Money", cost.costUsd === null ? "–" : money(cost.costUsd), cost.costUsd === null ? "no client reports a price" : "as reported")}
    ${total("Time of agents", duration(cost.seconds), "newest attempts")}
    ${total("Rework", `${share} %`, `${counted(rework.attempts, "repeated attempt")}, ${shortNumber(rework.tokens)} tokens${rework.costUsd === null ? "" : `, ${money(rework.costUsd)}`}`)}
  </dl>`;
}

function Lines({ lines, what }: { readonly lines: readonly CostLine[]; readonly what: string }): VNode {
  const hasCost = lines.some(({ costUsd }) => costUsd !== null);
  // The bar shows what the lines are sorted by.
  const measure = ({ costUsd, tokens }: CostLine) => (hasCost ? (costUsd ?? 0) : tokens);
  const max = Math.max(...lines.map(measure)) || 1;
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${`Cost by ${what.toLowerCase()}`}>
    <table class="cost"><thead><tr><th scope="col">${what}</th><th scope="col" class="number">Tokens</th>
    ${hasCost ? html`<th scope="col" class="number">Cost</th>` : null}<th scope="col" class="share-head">
    <span class="sr">Share</span></th><th scope="col" class="number">Time</th>
    <th scope="col" class="number">Tries</th></tr></thead>
    <tbody>${lines.map((one) => {
      const { name, title, key, costUsd } = one;
      return html`<tr key=${key ?? name}>
      <th scope="row">${key === null ? html`<bdi>${name}</bdi>` : html`<a href=${taskPath(key)}>${name} <bdi class="muted">${title}</bdi></a>`}</th>
      <td class="number">${shortNumber(one.tokens)}</td>
      ${hasCost ? html`<td class="number">${costUsd === null ? "–" : money(costUsd)}</td>` : null}<td class="share-cell">
      <span class="bar-line"><span class="bar-fill" style=${{ width: `${(measure(one) / max) * 100}%` }}></span></span>
      </td><td class="number">${duration(one.seconds)}</td>
      <td class="number">${one.attempts}</td></tr>`;
    })}</tbody></table></div>`;
}
