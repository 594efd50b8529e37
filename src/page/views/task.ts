import { html } from "htm/preact";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { EvidenceItem, HistoryItem, TaskPage } from "../../contract/board.ts";
import { duration } from "../../core/text/amounts.ts";
import { Actions } from "../parts/act-panel.ts";
import { AnsiLine } from "../parts/ansi.ts";
import { DiffView } from "../parts/diff-view.ts";
import {
  Age,
  Budget,
  Chip,
  dayText,
  Empty,
  Loading,
  Marked,
  money,
  Section,
  type Shown,
  TaskLink,
  timeText,
  tokens,
  ViewHead,
} from "../parts/parts.ts";
import { amend, client, go, messageOf, useView } from "../parts/store.ts";
import { LogView, LongText } from "../parts/text-view.ts";
import { listPath, useKeys } from "./tasks.ts";

const tabs = { history: "History", changes: "Changes", log: "Log", evidence: "Evidence" } as const;
type Tab = keyof typeof tabs;

/** Everything about one task, and what a person can do with it. */
export function TaskView({
  task: key,
  query,
}: {
  readonly task: string;
  readonly query: URLSearchParams;
}): VNode {
  const { document: page, fault } = useView("task", { task: key });
  const wanted = query.get("show");
  const tab: Tab = wanted !== null && wanted in tabs ? (wanted as Tab) : "history";
  useKeys((pressed) => {
    if (pressed === "Escape") go(listPath());
    return pressed === "Escape";
  });
  if (page === undefined)
    return html`<${ViewHead} title=${key} />${
      fault?.startsWith("there is nothing")
        ? html`<${Empty} title="There is no such task">It may belong to another repository. <a href="/tasks">All tasks</a>
      <//>`
        : html`<${Loading} what="the task" fault=${fault} />`
    }`;
  const { row } = page;
  const show = (next: Tab) => amend(`${location.pathname}${next === "history" ? "" : `?show=${next}`}`);
  return html`<p class="crumbs">
    <a href="/tasks">Tasks</a>${
      row.session === null
        ? null
        : html` <span class="muted">/</span> <a
      href=${`/tasks?session=${encodeURIComponent(row.session)}`}>${row.session}</a>`
    }</p>
    <header class="view-head task-title"><div><h1><span class="name">${row.name}</span> <bdi>${row.title}</bdi></h1>
      <p class="about">
      <${Chip} tone=${row.tone}>${row.word}<//> ${row.why === "" ? null : html`<${Marked} text=${row.why} />`}</p>
      </div></header>
    ${page.actions.length === 0 ? null : html`<${Actions} task=${key} actions=${page.actions} />`}
    ${page.decisions.length === 0 ? null : html`<p class="banner person">It is waiting for your answer. <a href="/">Needs you</a> has the question.</p>`}
    <${Facts} page=${page} />
    <div class="tabs" role="tablist" aria-label="About the task">
      ${(Object.keys(tabs) as Tab[]).map(
        (name) => html`<button type="button" role="tab" key=${name}
      id=${`tab-${name}`} aria-selected=${name === tab} aria-controls="tab-panel" tabindex=${name === tab ? 0 : -1}
      onClick=${() => show(name)} onKeyDown=${(event: KeyboardEvent) => moveTab(event, name, show)}>
      ${tabs[name]}${
        name === "evidence" && page.evidence.length > 0
          ? html`<span class="count">
      ${page.evidence.length}</span>`
          : null
      }</button>`,
      )}</div>
    <div id="tab-panel" role="tabpanel" aria-labelledby=${`tab-${tab}`}><h2 class="sr">${tabs[tab]}</h2>
      ${tab === "history" ? html`<${History} key=${key} page=${page} task=${key} />` : null}
      ${tab === "changes" ? html`<${DiffView} key=${key} task=${key} />` : null}
      ${tab === "log" ? html`<${LogView} key=${key} task=${key} hasLog=${page.hasLog} elsewhere=${page.elsewhere} />` : null}
      ${tab === "evidence" ? html`<${Evidence} key=${key} task=${key} evidence=${page.evidence} />` : null}
    </div>`;
}

function moveTab(event: KeyboardEvent, at: Tab, show: (tab: Tab) => void): void {
  const names = Object.keys(tabs) as Tab[];
  const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  const next = names[(names.indexOf(at) + step + names.length) % names.length];
  if (step === 0 || next === undefined) return;
  event.preventDefault();
  show(next);
  document.getElementById(`tab-${next}`)?.focus();
}

function Facts({ page }: { readonly page: TaskPage }): VNode {
  const { row, locks, waiting, needs, scope, forbidden, commit, remarks } = page;
  const fact = (name: string, value: Shown) =>
    html`<div class="fact" key=${name}><dt>${name}</dt><dd>${value}</dd></div>`;
  const paths = (list: readonly string[]) =>
    html`<ul class="plain">${list.map((path) => html`<li key=${path}><code>${path}</code></li>`)}</ul>`;
  return html`<dl class="facts">
    ${fact("Agent", `${row.agent ?? "none yet"}${row.model === null ? "" : `, ${row.model}`}${row.machine === null ? "" : `, on ${row.machine}`}`)}
    ${fact(
      "Time",
      html`${row.seconds === null ? "not started" : duration(row.seconds)}${row.attempts > 1 ? `, attempt ${row.attempts}` : ""}${
        row.beatAt === null || !row.isRunning
          ? null
          : html`, last heartbeat <${Age}
      at=${row.beatAt} suffix=" ago" />`
      }`,
    )}
    ${fact(
      "Tokens and cost",
      html`<${Budget} used=${row.tokens} max=${row.tokensMax}
      also=${row.costUsd === null ? undefined : money(row.costUsd)} text=${tokens} />`,
    )}
    ${commit === null ? null : fact("Commit", html`<code>${commit.slice(0, 12)}</code>`)}
    ${fact("May change", scope.length === 0 ? "the whole repository" : paths(scope))}
    ${forbidden.length === 0 ? null : fact("Must not change", paths(forbidden))}
    ${fact("Holds", locks.length === 0 ? "no lock" : paths(locks.map(({ resource }) => resource)))}
    ${
      waiting.length === 0
        ? null
        : fact(
            "Waiting for it",
            html`<span class="links">
      ${waiting.map((task) => html`<${TaskLink} key=${task.key} task=${task} />`)}</span>`,
          )
    }
    ${
      needs.length === 0
        ? null
        : fact(
            "Needs",
            html`<span class="links">${needs.map(
              (task) => html`<${TaskLink}
      key=${task.key} task=${task} />`,
            )}</span>`,
          )
    }
    ${page.resolution === null ? null : fact("Your answer", html`<bdi>${page.resolution}</bdi>`)}
    ${
      remarks.length === 0
        ? null
        : fact(
            "Remarks",
            html`<ul class="plain bad-text">${remarks.map(
              (line) => html`<li
      key=${line} dir="auto">${line}</li>`,
            )}</ul>`,
          )
    }
    ${page.goal === null ? null : fact("Goal", html`<bdi class="pre">${page.goal}</bdi>`)}
  </dl>`;
}

function History({ page, task }: { readonly page: TaskPage; readonly task: string }): VNode {
  const [older, setOlder] = useState<readonly HistoryItem[]>([]);
  const [before, setBefore] = useState<number | null | undefined>(undefined);
  const [fault, setFault] = useState<string | undefined>(undefined);
  const last = page.history.at(-1)?.seq ?? 0;
  const items = [...page.history, ...older.filter(({ seq }) => seq < last)];
  const next = before === undefined ? page.historyBefore : before;
  const more = async () => {
    try {
      const read = await client.get("history", { task, before: next ?? undefined });
      setOlder([...older, ...read.items]);
      setBefore(read.before);
    } catch (error) {
      setFault(messageOf(error));
    }
  };
  if (items.length === 0)
    return html`<${Empty} title="Nothing has happened yet">The history begins when the task starts.<//>`;
  return html`<ol class="history">${items.map(
    (item, at) => html`<li key=${item.seq} class=${`event ${item.tone}`}>
      ${at === 0 || dayText(item.at) !== dayText(items[at - 1]?.at ?? "") ? html`<p class="day">${dayText(item.at)}</p>` : null}
      <span class=${`dot ${item.tone}`} aria-hidden="true"></span>
      <div class="event-body"><p>
        <strong>${item.title}</strong>${
          item.code === null
            ? null
            : html` <code class="code-name">
          ${item.code}</code>`
        } <span class="muted by">${item.by}, <time datetime=${item.at}>
          ${timeText(item.at)}</time>
        </span></p>
      ${item.text === "" ? null : html`<p class="pre event-text"><${Marked} text=${item.text} /></p>`}
      ${
        item.lines.length === 0
          ? null
          : html`<ul class="findings">${item.lines.map(
              (line, index) => html`<li
        key=${index} dir="auto">${line}</li>`,
            )}</ul>`
      }</div>
    </li>`,
  )}</ol>
    ${next === null ? null : html`<button type="button" class="more" onClick=${more}>Older events</button>`}
    ${fault === undefined ? null : html`<p class="fault" role="alert">${fault}</p>`}`;
}

const outcomes: Readonly<Record<string, "good" | "bad" | "person">> = {
  pass: "good",
  fail: "bad",
  flaky: "person",
  vacuous: "person",
};

function Evidence({
  task,
  evidence,
}: {
  readonly task: string;
  readonly evidence: readonly EvidenceItem[];
}): VNode {
  if (evidence.length === 0)
    return html`<${Empty} title="No evidence yet">Lockstep runs the checks itself, on the exact tree of the merge, when the work is handed in.<//>`;
  return html`<ul class="evidence">${evidence.map((one) => html`<li key=${one.number}><${EvidenceCard} task=${task} one=${one} /></li>`)}</ul>`;
}

function EvidenceCard({ task, one }: { readonly task: string; readonly one: EvidenceItem }): VNode {
  const [isOpen, setOpen] = useState(false);
  const exit = (value: number | null) => (value === null ? "not run" : `exit ${value}`);
  return html`<${Section} title=${one.command} aside=${html`<${Chip} tone=${outcomes[one.outcome] ?? "quiet"}>${one.outcome}<//>`}>
    <dl class="facts tight">
      <div class="fact"><dt>Kind</dt><dd>${one.kind}</dd></div>
      <div class="fact"><dt>Before</dt><dd>${exit(one.before)}</dd></div>
      <div class="fact"><dt>After</dt><dd>${exit(one.after)}</dd></div>
      <div class="fact"><dt>Time</dt><dd>${one.seconds < 10 ? `${one.seconds.toFixed(1)}s` : duration(Math.round(one.seconds))}</dd></div>
      <div class="fact"><dt>Tree</dt><dd><code>${one.tree.slice(0, 12)}</code></dd></div>
      <div class="fact"><dt>Output digest</dt><dd><code>${one.digest.slice(0, 12)}</code></dd></div>
    </dl>
    ${
      one.excerpt.trim() === ""
        ? null
        : html`<pre class="log" tabindex="0" role="region" aria-label=${`End of the output of ${one.command}`}>${one.excerpt
            .trimEnd()
            .split("\n")
            .map(
              (line, at) => html`<div key=${at} class="log-line"><${AnsiLine} text=${line} /></div>`,
            )}</pre>`
    }
    ${
      one.hasOutput
        ? html`<details class="subject" onToggle=${(event: Event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
      <summary>The whole output</summary>${
        isOpen
          ? html`<${LongText} name="output"
        query=${{ task, check: one.number }} label="the output" />`
          : null
      }</details>`
        : null
    }
  <//>`;
}
