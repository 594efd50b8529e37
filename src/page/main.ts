import { html } from "htm/preact";
import { render, type VNode } from "preact";
import { Closed, Frame } from "./frame.ts";
import { Empty, ViewHead } from "./parts/parts.ts";
import { connect, go, useBoard } from "./parts/store.ts";
import { CostView } from "./views/cost.ts";
import { GuardPage } from "./views/guard.ts";
import { LandedView } from "./views/landed.ts";
import { LocksView } from "./views/locks.ts";
import { NeedsView } from "./views/needs.ts";
import { PlanView } from "./views/plan.ts";
import { TaskView } from "./views/task.ts";
import { TasksView } from "./views/tasks.ts";
import { TimelineView } from "./views/timeline.ts";

function Board(): VNode {
  const { connection, why } = useBoard();
  if (connection === "opening") return html`<p class="boot" role="status">Opening the board…</p>`;
  return connection === "closed" ? html`<${Closed} why=${why} />` : html`<${Frame}><${View} /><//>`;
}

/** The view of the page's address. */
function View(): VNode {
  const [path = "/", search = ""] = useBoard().path.split("?");
  const query = new URLSearchParams(search);
  const task = /^\/task\/(.+)$/.exec(path)?.[1];
  if (task !== undefined)
    return html`<${TaskView} key=${task} task=${decodeURIComponent(task)} query=${query} />`;
  switch (path) {
    case "/":
    case "/needs":
      return html`<${NeedsView} />`;
    case "/tasks":
      return html`<${TasksView} query=${query} />`;
    case "/timeline":
      return html`<${TimelineView} query=${query} />`;
    case "/locks":
      return html`<${LocksView} />`;
    case "/landed":
      return html`<${LandedView} />`;
    case "/guard":
      return html`<${GuardPage} />`;
    case "/cost":
      return html`<${CostView} query=${query} />`;
    case "/plan":
      return html`<${PlanView} query=${query} />`;
    default:
      return html`<${ViewHead} title="Not found" /><${Empty} title="There is no such view"><a href="/">Needs you</a><//>`;
  }
}

/** Links within the board change the view without loading the page again. */
addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey)
    return;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link === null || link.origin !== location.origin || link.getAttribute("href")?.startsWith("#")) return;
  event.preventDefault();
  go(link.pathname + link.search);
  document.getElementById("main")?.focus({ preventScroll: true });
});

const root = document.getElementById("board");
if (root !== null) {
  root.replaceChildren();
  render(html`<${Board} />`, root);
  void connect();
}
