import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Group, TaskList, TaskRow } from "../../contract/board.ts";
import { counted, duration } from "../../core/text/amounts.ts";
import {
  Age,
  Budget,
  Chip,
  Command,
  Empty,
  Loading,
  money,
  taskPath,
  tokens,
  ViewHead,
} from "../parts/parts.ts";
import { SessionSelect } from "../parts/session-select.ts";
import { amend, client, follow, go, messageOf, useBoard } from "../parts/store.ts";

const pageSize = 50;
const overscan = 8;
const heights = { wide: { head: 44, row: 60 }, narrow: { head: 44, row: 94 } };

/** The list as it was left, so that Esc leads back to the same filter and row. */
let left: { readonly path: string; readonly selected?: number | undefined } = { path: "/tasks" };

export function listPath(): string {
  return left.path;
}

/** All tasks, by what they wait for. Only the rows that are visible are in the page, however many there are. */
export function TasksView({ query }: { readonly query: URLSearchParams }): VNode {
  const [filter, session] = [query.get("filter") ?? "", query.get("session") ?? ""];
  const { list, rowAt, want, fault } = useRows(filter, session);
  const box = useRef<HTMLInputElement>(null);
  const { path } = useBoard();
  if (path !== left.path && path.startsWith("/tasks")) left = { path };
  const change = (next: { readonly filter?: string; readonly session?: string }) => {
    const merged = { filter, session, ...next };
    const given = Object.entries(merged).filter(([, value]) => value !== "");
    amend(`/tasks${given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`}`);
  };
  useKeys((key) => {
    if (key === "/") box.current?.focus();
    return key === "/";
  });
  return html`<${ViewHead} title="Tasks" about=${list === undefined ? undefined : aboutText(list, filter)}>
      <${SessionSelect} value=${session} onChange=${(value: string) => change({ session: value })} />
      <label class="filter"><span class="sr">Filter tasks</span>
        <input ref=${box} type="search" placeholder="Filter: name, agent, path, state" spellcheck="false" value=${filter}
          onInput=${(event: Event) => change({ filter: (event.currentTarget as HTMLInputElement).value })}
          onKeyDown=${(event: KeyboardEvent) => event.key === "Escape" && leaveFilter(event, change)} />
        <kbd aria-hidden="true">/</kbd></label>
    <//>
    ${
      list === undefined
        ? html`<${Loading} what="the tasks" fault=${fault} />`
        : list.total === 0
          ? html`<${NoTasks}
      filter=${filter} />`
          : html`<${Rows} list=${list} rowAt=${rowAt} want=${want} />`
    }`;
}

function leaveFilter(event: KeyboardEvent, change: (next: { readonly filter: string }) => void): void {
  change({ filter: "" });
  (event.currentTarget as HTMLInputElement).blur();
  event.stopPropagation();
}

function aboutText({ total }: TaskList, filter: string): string {
  if (total === 0) return "";
  return filter === ""
    ? `${counted(total, "task")}, by what they wait for.`
    : `${counted(total, "task")} found.`;
}

function NoTasks({ filter }: { readonly filter: string }): VNode {
  if (filter !== "") return html`<${Empty} title="No task matches">Esc clears the filter.<//>`;
  return html`<${Empty} title="No tasks yet"><p>A plan of tasks, or a single one:</p>
    <${Command} line="lockstep run tasks.yaml" />
    <${Command} line='lockstep do "Round prices half-even" --scope src/price' /><//>`;
}

/** Rows further away than this are forgotten. */
const keptRows = 200;

/** Reads the rows of the list that are wanted, again after every change. */
function useRows(filter: string, session: string) {
  const [list, setList] = useState<TaskList | undefined>(undefined);
  const [fault, setFault] = useState<string | undefined>(undefined);
  const [range, setRange] = useState({ from: 0, to: pageSize });
  const rows = useRef(new Map<number, TaskRow>());
  const shown = useRef("");
  const of = `${filter}\n${session}`;
  const keep = (part: TaskList) => {
    if (shown.current !== of) rows.current.clear();
    shown.current = of;
    for (const [at, row] of part.rows.entries()) rows.current.set(part.from + at, row);
    for (const at of rows.current.keys())
      if (at < range.from - keptRows || at > range.to + keptRows) rows.current.delete(at);
    setFault(undefined);
    setList(part);
  };
  const read = async (stop: AbortSignal) => {
    for (let from = range.from; from < range.to; ) {
      const count = Math.min(pageSize, range.to - from);
      const query = { filter: filter || undefined, session: session || undefined, from, count };
      const part = await client.get("tasks", query, stop);
      keep(part);
      from = part.from + part.rows.length;
      if (part.rows.length === 0 || from >= part.total) return;
    }
  };
  useEffect(() => {
    const stop = new AbortController();
    void follow(stop.signal, () =>
      read(stop.signal).catch((error: unknown) => {
        if (!stop.signal.aborted) setFault(messageOf(error));
      }),
    );
    return () => stop.abort();
  }, [of, range.from, range.to]);
  const want = (from: number, to: number) => {
    if (from < range.from || to > range.to)
      setRange({ from: Math.max(0, from - overscan), to: to + overscan * 2 });
  };
  return { list, fault, want, rowAt: (at: number) => rows.current.get(at) };
}

type Item = { readonly top: number; readonly height: number } & (
  | { readonly group: Group }
  | { readonly at: number }
);

interface RowsProps {
  readonly list: TaskList;
  rowAt(at: number): TaskRow | undefined;
  want(from: number, to: number): void;
}

function Rows({ list, rowAt, want }: RowsProps): VNode {
  const [isNarrow, setNarrow] = useState(matchMedia("(max-width: 760px)").matches);
  const size = isNarrow ? heights.narrow : heights.wide;
  const box = useRef<HTMLDivElement>(null);
  const [window_, setWindow] = useState({ top: 0, bottom: innerHeight });
  const [selected, select] = useState(left.selected);
  useLayoutEffect(() => {
    const look = () => {
      const top = -(box.current?.getBoundingClientRect().top ?? 0);
      setWindow({ top, bottom: top + innerHeight });
      setNarrow(matchMedia("(max-width: 760px)").matches);
    };
    look();
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, []);
  const { items, height } = useMemo(() => layOut(list.groups, size), [JSON.stringify(list.groups), isNarrow]);
  const visible = items.filter(
    (item) =>
      item.top + item.height > window_.top - size.row * overscan &&
      item.top < window_.bottom + size.row * overscan,
  );
  const numbers = visible.flatMap((item) => ("at" in item ? [item.at] : []));
  useEffect(() => {
    const [first = 0] = numbers;
    want(first, Math.min(list.total, (numbers.at(-1) ?? 0) + 1));
  }, [numbers[0], numbers.at(-1), list.total]);
  const show = (at: number | undefined) => {
    const item = items.find((one) => "at" in one && one.at === at);
    if (item !== undefined) showItem(box.current, item);
  };
  useLayoutEffect(() => show(selected), []);
  useKeys((key) => {
    if (key !== "j" && key !== "k" && key !== "Enter") return false;
    if (key === "Enter") {
      const row = selected === undefined ? undefined : rowAt(selected);
      if (row !== undefined) go(taskPath(row.key));
      return row !== undefined;
    }
    const next = Math.max(
      0,
      Math.min(list.total - 1, selected === undefined ? 0 : selected + (key === "j" ? 1 : -1)),
    );
    select(next);
    left = { ...left, selected: next };
    show(next);
    return true;
  });
  return html`<div class="task-head" aria-hidden="true"><span>State</span><span>Task</span><span>Agent</span>
    <span>Time</span><span>Tokens and cost</span><span>Scope and proof</span></div>
    <div class="rows" ref=${box} style=${{ height: `${height}px` }} role="list" aria-label=${counted(list.total, "task")}>
      ${visible.map((item) =>
        "group" in item
          ? html`<div class="group" role="listitem" key=${item.group.name} style=${{ top: `${item.top}px`, height: `${item.height}px` }}>
            <h2>${item.group.title}</h2><span class="muted">${item.group.count}</span></div>`
          : html`<div class="row-place" role="listitem" aria-setsize=${list.total} aria-posinset=${item.at + 1}
            key=${item.at} style=${{ top: `${item.top}px`, height: `${item.height}px` }}>
            <${Row} row=${rowAt(item.at)} isSelected=${selected === item.at} /></div>`,
      )}
    </div>`;
}

function layOut(groups: readonly Group[], { head, row }: { readonly head: number; readonly row: number }) {
  const items: Item[] = [];
  let [top, at] = [0, 0];
  for (const group of groups) {
    items.push({ group, top, height: head });
    top += head;
    for (let index = 0; index < group.count; index += 1) {
      items.push({ at, top, height: row });
      top += row;
      at += 1;
    }
  }
  return { items, height: top };
}

function showItem(box: HTMLElement | null, { top, height }: Item): void {
  const from = (box?.getBoundingClientRect().top ?? 0) + scrollY + top;
  if (from < scrollY + 80) scrollTo(0, from - 80);
  else if (from + height > scrollY + innerHeight - 20) scrollTo(0, from + height - innerHeight + 20);
}

function Row({
  row,
  isSelected,
}: {
  readonly row: TaskRow | undefined;
  readonly isSelected: boolean;
}): VNode {
  if (row === undefined) return html`<div class="row waiting"><span class="muted">reading…</span></div>`;
  const { name, title, word, tone, agent, model, machine, why, scope, scopeMore, proof, attempts } = row;
  return html`<a class=${`row${isSelected ? " selected" : ""}`} href=${taskPath(row.key)} aria-current=${isSelected ? "true" : undefined}>
    <span class="cell state-cell"><${Chip} tone=${tone}>${word}<//></span>
    <span class="cell what"><span class="line"><strong class="name">${name}</strong> <bdi class="title">${title}</bdi>
      </span><span class="line muted"><bdi>${why || (attempts > 1 ? counted(attempts, "attempt") : "")}</bdi></span>
      </span>
    <span class="cell who"><span class="line">${agent ?? "–"}</span>
      <span class="line muted">${[model, machine].filter(Boolean).join(" · ")}</span></span>
    <span class="cell when"><span class="line number">${row.seconds === null ? "–" : duration(row.seconds)}</span>
      <span class="line muted">${
        row.isRunning && row.beatAt !== null
          ? html`beat <${Age}
        at=${row.beatAt} suffix=" ago" />`
          : html`${row.since.what} <${Age} at=${row.since.at} suffix=" ago" />`
      }</span>
      </span>
    <span class="cell spent">${
      attempts === 0
        ? html`<span class="muted">–</span>`
        : html`<${Budget}
      used=${row.tokens} max=${row.tokensMax} also=${costText(row)} text=${tokens} />`
    }</span>
    <span class="cell where"><span class="line">
      <bdi>${scope.join(", ") || "whole repository"}</bdi>${scopeMore > 0 ? html`<span class="muted"> +${scopeMore}</span>` : null}</span>
      <span class="line muted"><bdi>${proof === "" ? "" : `✓ ${proof}`}</bdi></span></span>
  </a>`;
}

function costText({ costUsd, costMax }: TaskRow): string | undefined {
  if (costUsd === null) return undefined;
  return costMax === null ? money(costUsd) : `${money(costUsd)} / ${money(costMax)}`;
}

/** Keys for the whole view; none while a person types. */
export function useKeys(pressed: (key: string) => boolean): void {
  const latest = useRef(pressed);
  latest.current = pressed;
  // At once, so that no key is lost between what is shown and what is heard.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const { target } = event;
      if (target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
      // A focused link or button has its own Enter.
      if (
        event.key === "Enter" &&
        target instanceof HTMLElement &&
        /^(?:A|BUTTON|SUMMARY)$/.test(target.tagName)
      )
        return;
      if (latest.current(event.key)) event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
