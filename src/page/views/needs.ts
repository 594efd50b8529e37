import { html } from "htm/preact";
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Answer, NeedItem, Subject } from "../../contract/board.ts";
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
    return html`<${ViewHead} title="Needs you" /><${Loading} what="what waits for you" fault=${fault} />`;
  const { items, total } = needs;
  const about = total === 0 ? undefined : `${counted(total, "thing")} only you can settle, oldest first.`;
  return html`<${ViewHead} title="Needs you" about=${about} />
    ${
      items.length === 0
        ? html`<${Empty} title="Nothing waits for you">${
            overview !== null && overview.total === 0
              ? html`<p>There is no task yet. Start one:</p>
          <${Command} line='lockstep do "Round prices half-even" --scope src/price' />`
              : html`<p>Agents and proofs continue without you. If they cannot, the question appears here.</p>`
          }<//>`
        : html`<ol class="needs">${items.map((item) => html`<li key=${item.id}><${NeedCard} item=${item} /></li>`)}</ol>`
    }
    ${total > items.length ? html`<p class="muted">and ${total - items.length} more: <code>lockstep status</code> lists all</p>` : null}`;
}

const kinds: Readonly<Record<string, string>> = {
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
  escalated: "escalated",
  stopped: "stopped",
  reported: "blocker",
  denied: "refused twice",
  taken: "taken by you",
  landing: "landing",
};

function NeedCard({ item }: { readonly item: NeedItem }): VNode {
  const { name, about, at, text, findings, kind, task } = item;
  return html`<article class="need" aria-labelledby=${`need-${item.id}`}>
    <header>
      <${Chip} tone="person">${kinds[kind] ?? kind}<//>
      <h2 id=${`need-${item.id}`}>${task === null ? html`<bdi>${about}</bdi>` : html`<a href=${taskPath(task)}><bdi>${about}</bdi></a>`}</h2>
      <p class="muted id">${name}${at === null ? null : html`, <${Age} at=${at} suffix=" ago" />`}</p>
    </header>
    <p class="question"><${Marked} text=${text} /></p>
    ${findings.length === 0 ? null : html`<ul class="findings">${findings.map((line, index) => html`<li key=${index} dir="auto">${line}</li>`)}</ul>`}
    ${item.subjects.map((subject, index) => html`<${SubjectView} key=${index} subject=${subject} item=${item} />`)}
    ${item.answers.length > 0 ? html`<${AnswerForm} item=${item} />` : null}
    ${task !== null && item.actions.length > 0 ? html`<${Actions} task=${task} actions=${item.actions} />` : null}
    <details class="commands"><summary>As a command</summary>${item.commands.map((line) => html`<${Command} key=${line} line=${line} />`)}</details>
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
function AnswerForm({ item }: { readonly item: NeedItem }): VNode {
  const { acted, busy, send } = useAct();
  const [wanted, setWanted] = useState<string | undefined>(undefined);
  const field = useRef<HTMLTextAreaElement>(null);
  const takesText = item.answers.some(({ text }) => text !== "none");
  const isFree = item.answers.every(({ text }) => text === "required") && item.answers.length === 1;
  const give = ({ word, text }: Answer) => {
    const said = field.current?.value.trim() ?? "";
    if (text === "required" && said === "") {
      setWanted(word);
      field.current?.focus();
      return;
    }
    setWanted(undefined);
    const answer = isFree ? said : text === "none" || said === "" ? word : `${word}: ${said}`;
    void send({ do: "decide", id: item.id, answer }, word);
  };
  const isOff = client.may !== "act" || busy !== undefined;
  return html`<div class="answer">
    ${
      takesText
        ? html`<label>${isFree ? "Your answer" : textLabel(item.kind)}<textarea ref=${field} rows="2"
          disabled=${isOff} aria-invalid=${wanted !== undefined}>
      </textarea></label>`
        : null
    }
    ${wanted === undefined ? null : html`<p class="bad-text" role="alert">Say why: “${wanted}” takes a text.</p>`}
    <div class="buttons">${item.answers.map(
      (answer) => html`<button type="button" key=${answer.word}
      class=${`button${answer.recommended || item.answers.length === 1 ? " primary" : ""}`} disabled=${isOff}
      onClick=${() => give(answer)}>
      ${labelOf(answer.word)}${answer.recommended ? html`<span class="hint"> recommended</span>` : null}</button>`,
    )}</div>
    ${client.may === "act" ? null : html`<p class="muted">This page can only look. <code>lockstep board</code> in your terminal opens one that can answer.</p>`}
    ${busy === undefined ? null : html`<p class="muted" role="status">Sending “${busy}”…</p>`}
    <${Outcome} acted=${acted} />
  </div>`;
}

function textLabel(kind: string): string {
  if (kind === "continue") return "How much more, if not the same again";
  return kind === "approve-design" ? "What should change" : "Reason";
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
