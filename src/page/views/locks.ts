import { html } from "htm/preact";
import type { VNode } from "preact";
import type { LockNode, NamedTask } from "../../contract/board.ts";
import { counted } from "../../core/text/amounts.ts";
import { Command, Empty, Loading, Section, TaskLink, ViewHead } from "../parts/parts.ts";
import { useView } from "../parts/store.ts";

/** Who holds which part of the tree, and who waits for it. */
export function LocksView(): VNode {
  const { document: locks, fault } = useView("locks");
  if (locks === undefined)
    return html`<${ViewHead} title="Locks" /><${Loading} what="the locks" fault=${fault} />`;
  const { nodes, resources, held, worklogs, hidden } = locks;
  return html`<${ViewHead} title="Locks"
    about=${held === 0 ? undefined : `${counted(held, "lock")}. Only the holder of a lock writes there.`} />
    ${
      held === 0
        ? html`<${Empty} title="Nothing is locked">
      <p>A task takes its locks when it starts and gives them back when it is merged.</p>
      <${Command} line="lockstep run" /><//>`
        : null
    }
    ${
      nodes.length === 0
        ? null
        : html`<${Section} title="Paths" id="paths">
      <${Tree} nodes=${nodes} label="Locked paths" />${
        hidden === 0
          ? null
          : html`<p class="muted">and ${counted(hidden, "more path")}: <code>lockstep lock list</code>
      </p>`
      }<//>`
    }
    ${
      resources.length === 0
        ? null
        : html`<${Section} title="Named resources" id="resources">
      <${Tree} nodes=${resources} label="Named resources" /><//>`
    }
    ${worklogs === 0 ? null : html`<p class="muted">Each task also has its own worklog locked, which is not shown.</p>`}`;
}

function Tree({ nodes, label }: { readonly nodes: readonly LockNode[]; readonly label: string }): VNode {
  return html`<ul class="lock-tree" aria-label=${label}>${nodes.map(
    (node) => html`<li key=${node.path} class=${node.holders.length > 0 ? "held" : ""}>
    <span class="lock-path" style=${{ paddingLeft: `${node.depth * 20}px` }}><code>${node.label}</code></span>
    <span class="lock-tasks">${named("held by", node.holders)}${named("wanted by", node.waiting)}</span>
  </li>`,
  )}</ul>`;
}

function named(word: string, tasks: readonly NamedTask[]): VNode | null {
  if (tasks.length === 0) return null;
  return html`<span class="links">
    <span class="muted">${word}</span> ${tasks.map((task) => html`<${TaskLink} key=${task.key} task=${task} />`)}</span>`;
}
