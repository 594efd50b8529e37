import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Acted, Answer, NeedItem, Needs, Subject } from "../../contract/board.ts";
import { counted } from "../../core/text/amounts.ts";
import { Actions, Outcome, useAct } from "../parts/act-panel.ts";
import { AnsiLine } from "../parts/ansi.ts";
import { DiffView } from "../parts/diff-view.ts";
import { Age, Chip, Command, Empty, Loading, Marked, taskPath, ViewHead } from "../parts/parts.ts";
import { client, useBoard, useView } from "../parts/store.ts";
import { LongText } from "../parts/text-view.ts";

/** What only a person can resolve, oldest first. */
export function NeedsView(): VNode {
  const { document: needs, fault } = useView("needs");
  const { overview } = useBoard();
  if (needs === undefined)
    return html`<${ViewHead} title="Needs you" /><${Loading} what="what is waiting for you" fault=${fault} />`;
  return html`<${NeedsList} needs=${needs} hasTasks=${overview === null || overview.total > 0} />`;
}

/** What this page has settled. */
interface Settled {
  readonly item: NeedItem;
  readonly acted: Acted;
  /** Of the card, which keeps it. */
  readonly height: number;
}

/**
 * A settled card stays in its place until the person leaves the view: it says what became of it, and nothing moves under
 * the pointer.
 */
function NeedsList({ needs, hasTasks }: { readonly needs: Needs; readonly hasTasks: boolean }): VNode {
  const [settled, setSettled] = useState<ReadonlyMap<string, Settled>>(new Map());
  const before = useRef<readonly NeedItem[]>([]);
  const items = withSettled(before.current, needs.items, settled);
  before.current = items;
  const { total } = needs;
  const about = total === 0 ? undefined : `${counted(total, "thing")} only you can settle, oldest first.`;
  const settle = (one: Settled) => setSettled((known) => new Map([...known, [one.item.id, one]]));
  const settledAs = (item: NeedItem) => {
    const found = settled.get(item.id);
    // The same question can be asked again. A task that still waits has other buttons now.
    const isOpen = needs.items.some(({ id }) => id === item.id);
    return found?.item.at === item.at && (!isOpen || item.of === "decision") ? found : undefined;
  };
  return html`<${ViewHead} title="Needs you" about=${about} />
    ${
      items.length === 0
        ? html`<${Empty} title="Nothing is waiting for you">${
            !hasTasks
              ? html`<p>There is no task yet. Start one:</p>
          <${Command} line='lockstep do "Round prices half-even" --scope src/price' />`
              : html`<p>Agents and proofs continue without you. If they cannot, the question appears here.</p>`
          }<//>`
        : html`<ol class="needs">${items.map(
            (item) => html`<li key=${item.id}>
        <${NeedCard} item=${item} settled=${settledAs(item)} settle=${settle} /></li>`,
          )}</ol>`
    }
    ${total > needs.items.length ? html`<p class="muted">and ${total - needs.items.length} more: <code>lockstep status</code> lists all</p>` : null}`;
}

/** The open items, and in their former places those that were settled here. */
function withSettled(
  before: readonly NeedItem[],
  items: readonly NeedItem[],
  settled: ReadonlyMap<string, Settled>,
): readonly NeedItem[] {
  const open = new Map(items.map((item) => [item.id, item]));
  if (!before.some(({ id }) => settled.has(id) && !open.has(id))) return items;
  const kept = before.flatMap((item) => open.get(item.id) ?? (settled.has(item.id) ? [item] : []));
  const known = new Set(kept.map(({ id }) => id));
  return [...kept, ...items.filter(({ id }) => !known.has(id))];
}

const kinds: Readonly<Record<NeedItem["kind"], string>> = {
  widen: "more scope",
  vacuous: "proof proves nothing",
  manual: "check by hand",
  weakened: "tests weakened",
  continue: "budget used up",
  security: "security",
  login: "log in",
  "approve-design": "design",
  "review-strategy": "review strategy",
  question: "question",
  repair: "repair",
  decision: "decision",
  task: "task",
  escalated: "escalated",
  stopped: "stopped",
  reported: "blocker",
  denied: "refused twice",
  taken: "taken by you",
  landing: "landing",
};

interface CardProps {
  readonly item: NeedItem;
  readonly settled: Settled | undefined;
  settle(one: Settled): void;
}

function NeedCard({ item, settled, settle }: CardProps): VNode {
  const { name, about, at, text, findings, kind, task } = item;
  const card = useRef<HTMLElement>(null);
  const done = (acted: Acted) => settle({ item, acted, height: card.current?.offsetHeight ?? 0 });
  useEffect(() => {
    // The button that had the focus is gone.
    if (settled !== undefined && document.activeElement === document.body)
      card.current?.focus({ preventScroll: true });
  }, [settled === undefined]);
  const forms = html`
    ${item.answers.length > 0 ? html`<${AnswerForm} item=${item} done=${done} />` : null}
    ${task !== null && item.actions.length > 0 ? html`<${Actions} task=${task} actions=${item.actions} done=${done} />` : null}
    <details class="commands"><summary>As a command</summary>${item.commands.map((line) => html`<${Command} key=${line} line=${line} />`)}</details>`;
  return html`<article class=${`need${settled === undefined ? "" : " settled"}`} aria-labelledby=${`need-${item.id}`}
    ref=${card} tabindex="-1" style=${settled === undefined ? undefined : { minHeight: `${settled.height}px` }}>
    <header>
      <${Chip} tone="person">${kinds[kind]}<//>
      <h2 id=${`need-${item.id}`}>${task === null ? html`<bdi>${about}</bdi>` : html`<a href=${taskPath(task)}><bdi>${about}</bdi></a>`}</h2>
      <p class="muted id">${name}${at === null ? null : html`, <${Age} at=${at} suffix=" ago" />`}</p>
    </header>
    <p class="question"><${Marked} text=${text} /></p>
    ${findings.map(
      ({ heading, lines }) => html`<div key=${heading ?? ""}>
      ${heading === null ? null : html`<p>${heading}</p>`}
      <ul class="findings">${lines.map((line, index) => html`<li key=${index} dir="auto">${line}</li>`)}</ul></div>`,
    )}
    ${item.subjects.map((subject, index) => html`<${SubjectView} key=${index} subject=${subject} item=${item} />`)}
    ${settled === undefined ? forms : html`<${Outcome} acted=${settled.acted} />`}
  </article>`;
}

const subjectTitles: Readonly<Record<Subject["kind"], string>> = {
  documents: "The documents",
  diff: "The changes",
  paths: "The paths",
  output: "The failing output",
};

/** What the question is about, opened on demand unless it is short. */
function SubjectView({ subject, item }: { readonly subject: Subject; readonly item: NeedItem }): VNode {
  const [isOpen, setOpen] = useState(false);
  if (subject.kind === "paths")
    return html`<ul class="paths">${subject.paths.map((path) => html`<li key=${path}><code>${path}</code></li>`)}</ul>`;
  const title =
    subject.kind === "documents"
      ? `${subjectTitles.documents}: ${subject.files.join(", ")}`
      : subjectTitles[subject.kind];
  return html`<details class="subject" onToggle=${(event: Event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
    <summary>${title}</summary>
    ${isOpen ? html`<${SubjectBody} subject=${subject} id=${item.id} />` : null}
  </details>`;
}

function SubjectBody({ subject, id }: { readonly subject: Subject; readonly id: string }): VNode | null {
  const [isChanges, setChanges] = useState(subject.kind === "documents" && subject.hasChanges);
  if (subject.kind === "diff") return html`<${DiffView} task=${subject.task} />`;
  if (subject.kind === "output")
    return html`<pre class="log" tabindex="0" role="region" aria-label="Output">${subject.text
      .split("\n")
      .map(
        (line, at) => html`<div key=${at} class="log-line">
      <${AnsiLine} text=${line} /></div>`,
      )}</pre>`;
  if (subject.kind !== "documents") return null;
  return html`<div>
    ${
      subject.hasChanges
        ? html`<div class="switch" role="group" aria-label="Version">
      <button type="button" aria-pressed=${isChanges} onClick=${() => setChanges(true)}>What changed since you were asked</button>
      <button type="button" aria-pressed=${!isChanges} onClick=${() => setChanges(false)}>All of it</button>
      </div>`
        : null
    }
    <${LongText} key=${String(isChanges)} name="documents" query=${{ id, changes: isChanges ? 1 : 0 }} label="the documents" />
  </div>`;
}

/** One button for each answer. A text goes with the answers that take one. */
function AnswerForm({ item, done }: { readonly item: NeedItem; done(acted: Acted): void }): VNode {
  const { acted, busy, send } = useAct(done);
  const [fault, setFault] = useState<string | undefined>(undefined);
  const field = useRef<HTMLTextAreaElement>(null);
  const takesText = item.answers.some(({ text }) => text !== "none");
  const isFree = item.answers.every(({ text }) => text === "required") && item.answers.length === 1;
  const give = ({ word, text }: Answer) => {
    const said = field.current?.value.trim() ?? "";
    const wrong =
      text === "required" && said === ""
        ? `Say why: “${labelOf(word)}” takes a text.`
        : text === "none" && said !== ""
          ? `“${labelOf(word)}” takes no text: choose another answer, or clear the text.`
          : undefined;
    setFault(wrong);
    if (wrong !== undefined) {
      field.current?.focus();
      return;
    }
    const answer = isFree ? said : text === "none" || said === "" ? word : `${word}: ${said}`;
    void send({ do: "decide", id: item.id, answer }, word);
  };
  const isOff = client.may !== "act" || busy !== undefined;
  return html`<div class="answer">
    ${client.may === "act" ? null : html`<p class="muted">This page is read-only. <code>lockstep board</code> in your terminal opens one that can answer.</p>`}
    ${
      takesText
        ? html`<label>${isFree ? "Your answer" : textLabel(item)}<textarea ref=${field} rows="2"
          disabled=${isOff} aria-invalid=${fault !== undefined}>
      </textarea></label>`
        : null
    }
    ${fault === undefined ? null : html`<p class="bad-text" role="alert">${fault}</p>`}
    <div class="buttons">${item.answers.map(
      (answer) => html`<button type="button" key=${answer.word}
      class=${`button${answer.recommended || item.answers.length === 1 ? " primary" : ""}`} disabled=${isOff}
      onClick=${() => give(answer)}>
      ${labelOf(answer.word)}${answer.recommended ? html`<span class="hint"> recommended</span>` : null}</button>`,
    )}</div>
    ${busy === undefined ? null : html`<p class="muted" role="status">Sending “${busy}”…</p>`}
    <${Outcome} acted=${acted} />
  </div>`;
}

/** With the answers that it goes with, unless it goes with all. */
function textLabel({ kind, answers }: NeedItem): string {
  const takers = answers.filter(({ text }) => text !== "none").map(({ word }) => labelOf(word));
  const what =
    kind === "continue"
      ? "How much more, if not the same again"
      : kind === "approve-design"
        ? "What should change"
        : "Reason";
  return takers.length === answers.length ? what : `${what} (for “${takers.join("”, “")}”)`;
}

/** What a button does, for answers that are named for what they result in. */
const labels: Readonly<Record<string, string>> = {
  approved: "Approve",
  refused: "Refuse",
  "changes-requested": "Request changes",
  answer: "Answer",
};

function labelOf(word: string): string {
  return labels[word] ?? word.charAt(0).toUpperCase() + word.slice(1).replaceAll("-", " ");
}
