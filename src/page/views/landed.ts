import { html } from "htm/preact";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { LandedItem } from "../../contract/board.ts";
import { counted } from "../../core/text/amounts.ts";
import { Age, Chip, Command, Empty, Loading, taskPath, ViewHead } from "../parts/parts.ts";
import { client, messageOf, useView } from "../parts/store.ts";

/** The chain of merges on the base branch. */
export function LandedView(): VNode {
  const { document: landed, fault } = useView("landed");
  const [older, setOlder] = useState<readonly LandedItem[]>([]);
  const [before, setBefore] = useState<number | null | undefined>(undefined);
  const [failed, setFailed] = useState<string | undefined>(undefined);
  if (landed === undefined)
    return html`<${ViewHead} title="Landed" /><${Loading} what="the merges" fault=${fault} />`;
  const last = landed.items.at(-1)?.seq ?? 0;
  const items = [...landed.items, ...older.filter(({ seq }) => seq < last)];
  const next = before === undefined ? landed.before : before;
  const more = async () => {
    try {
      const read = await client.get("landed", { before: next ?? undefined });
      setOlder([...older, ...read.items]);
      setBefore(read.before);
    } catch (error) {
      setFailed(messageOf(error));
    }
  };
  const where = landed.base === null ? "the base branch" : landed.base;
  return html`<${ViewHead} title="Landed"
    about=${items.length === 0 ? undefined : `What Lockstep merged into ${where}, newest first, each with its proof.`} />
    ${
      items.length === 0
        ? html`<${Empty} title="Nothing has landed yet">
      <p>Lockstep merges a task after its checks have passed on the merge itself.</p>
      <${Command} line="lockstep run" /><${Command} line="lockstep land BRANCH" />
      <//>`
        : html`<ol class="chain">${items.map(
            (item) => html`<li key=${item.seq}><${Link} item=${item} />
      </li>`,
          )}</ol>`
    }
    ${next === null ? null : html`<button type="button" class="more" onClick=${more}>Older merges</button>`}
    ${failed === undefined ? null : html`<p class="fault" role="alert">${failed}</p>`}`;
}

function Link({ item }: { readonly item: LandedItem }): VNode {
  const {
    task,
    name,
    title,
    at,
    commit,
    parent,
    proof,
    checks,
    committer,
    isSigned,
    weakened,
    revertedBy,
    batch,
  } = item;
  return html`<article class=${`link${revertedBy === null ? "" : " reverted"}`}>
    <header><h2><a href=${taskPath(task)}><span class="name">${name}</span> <bdi>${title}</bdi></a></h2>
      <span class="muted"><${Age} at=${at} suffix=" ago" /></span></header>
    <p class="chips">${
      revertedBy === null
        ? html`<${Chip} tone="good">
      ${checks === 0 ? "merged" : `proven by ${counted(checks, "check")}`}<//>`
        : html`<${Chip} tone="bad">rolled back<//>`
    }
      ${weakened.length === 0 ? null : html`<${Chip} tone="person">${counted(weakened.length, "test")} weakened<//>`}
      <span class="muted">${
        commit === null
          ? "no commit"
          : html`<code>${commit.slice(0, 12)}</code>
        ${parent === null ? "" : html` on <code>${parent.slice(0, 12)}</code>`}`
      }, committed by <bdi>${committer}</bdi>${isSigned ? ", with a signature that was not verified" : ""}${batch === null ? "" : `, ${batch}`}</span>
        </p>
    ${checks === 0 ? null : html`<p class="proof-line"><bdi>${proof}</bdi></p>`}
    ${weakened.length === 0 ? null : html`<ul class="findings">${weakened.map((line) => html`<li key=${line} dir="auto">${line}</li>`)}</ul>`}
    ${revertedBy === null ? null : html`<p class="muted">reverted by <code>${revertedBy.slice(0, 12)}</code></p>`}
  </article>`;
}
