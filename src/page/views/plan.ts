import { html } from "htm/preact";
import type { VNode } from "preact";
import type { PlanGraph, PlanNode } from "../../contract/board.ts";
import { counted } from "../../core/text/amounts.ts";
import { Command, Empty, Loading, taskPath, ViewHead } from "../parts/parts.ts";
import { SessionSelect } from "../parts/session-select.ts";
import { amend, useView } from "../parts/store.ts";

const size = { width: 208, height: 58, columnGap: 64, rowGap: 14, head: 34 };

/** The graph of a plan: batches as columns, states as colours. */
export function PlanView({ query }: { readonly query: URLSearchParams }): VNode {
  const session = query.get("session") ?? "";
  const { document: plan, fault } = useView("plan", { session: session || undefined });
  const choose = (name: string) => amend(`/plan${name === "" ? "" : `?session=${encodeURIComponent(name)}`}`);
  const head = html`<${ViewHead} title="Plan" about=${plan === undefined || plan.nodes.length === 0 ? undefined : aboutText(plan)}>
    <${SessionSelect} value=${session} all="Newest session" onChange=${choose} /><//>`;
  if (plan === undefined) return html`${head}<${Loading} what="the plan" fault=${fault} />`;
  if (plan.nodes.length === 0)
    return html`${head}<${Empty} title="There is no plan yet">
      <p>A plan is a file of tasks, with what each may change and what it needs first.</p>
      <${Command} line="lockstep help plans" /><//>`;
  return html`${head}<${Graph} plan=${plan} />`;
}

function aboutText({ session, nodes, columns, hidden }: PlanGraph): string {
  return `${session ?? "Tasks without a session"}: ${counted(nodes.length + hidden, "task")} in ${`${columns} ${columns === 1 ? "batch" : "batches"}`}, if every task succeeds${hidden === 0 ? "" : `; ${hidden} not shown`}.`;
}

function placeOf({ column, row }: Pick<PlanNode, "column" | "row">) {
  return { x: column * (size.width + size.columnGap), y: size.head + row * (size.height + size.rowGap) };
}

function Graph({ plan: { nodes, edges, columns } }: { readonly plan: PlanGraph }): VNode {
  const rows = Math.max(...nodes.map(({ row }) => row)) + 1;
  const width = columns * (size.width + size.columnGap) - size.columnGap;
  const height = size.head + rows * (size.height + size.rowGap);
  return html`<div class="graph" tabindex="0" role="region" aria-label="Tasks and what each needs">
    <div class="graph-inner" style=${{ width: `${width}px`, height: `${height}px` }}>
      <svg width=${width} height=${height} aria-hidden="true">${edges.map(
        ([from, to]) => html`<path
        key=${`${from} ${to}`} class="edge" d=${edgePath(nodes[from], nodes[to])} />`,
      )}</svg>
      ${Array.from(
        { length: columns },
        (_, at) => html`<span key=${at} class="batch"
        style=${{ left: `${placeOf({ column: at, row: 0 }).x}px` }}>Batch ${at + 1}</span>`,
      )}
      ${nodes.map((node) => {
        const { x, y } = placeOf(node);
        return html`<a key=${node.key} class=${`node ${node.tone}`} href=${taskPath(node.key)}
          style=${{ left: `${x}px`, top: `${y}px`, width: `${size.width}px`, height: `${size.height}px` }}>
          <span class="line"><span class=${`dot ${node.tone}`} aria-hidden="true"></span>
          <strong class="name">${node.name}</strong><span class="muted">${node.word}</span></span><span class="line">
          <bdi>${node.title}</bdi></span></a>`;
      })}
    </div>
  </div>`;
}

function edgePath(from: PlanNode | undefined, to: PlanNode | undefined): string {
  if (from === undefined || to === undefined) return "";
  const [a, b] = [placeOf(from), placeOf(to)];
  const [x1, y1, x2, y2] = [a.x + size.width, a.y + size.height / 2, b.x, b.y + size.height / 2];
  const curve = (x: number, y: number, toX: number, toY: number) =>
    `C${x + size.columnGap / 2} ${y} ${toX - size.columnGap / 2} ${toY} ${toX} ${toY}`;
  if (to.column - from.column <= 1) return `M${x1} ${y1}${curve(x1, y1, x2, y2)}`;
  // Over several columns it runs below the row, so that it does not seem to pass through the tasks between.
  const between = a.y + size.height + size.rowGap / 2;
  const [start, end] = [x1 + size.columnGap, x2 - size.columnGap];
  return `M${x1} ${y1}${curve(x1, y1, start, between)}H${end}${curve(end, between, x2, y2)}`;
}
