import { parsePatch, type StructuredPatchHunk } from "diff";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { DiffFile } from "../../contract/board.ts";
import { counted } from "../../core/text/amounts.ts";
import { highlightLines, type Words } from "./highlight.ts";
import { Empty, Loading } from "./parts.ts";
import { client, messageOf, useView } from "./store.ts";

/** The first files are open, unless there are many. */
const openFiles = 4;
const openLinesMax = 600;
const linesShown = 240;

type Layout = "unified" | "split";

/** The work of a task, file by file. */
export function DiffView({ task }: { readonly task: string }): VNode {
  const { document: diff, fault } = useView("diff", { task });
  const [layout, setLayout] = useState<Layout>("unified");
  if (diff === undefined) return html`<${Loading} what="the changes" fault=${fault} />`;
  if (diff.files.length === 0 && diff.elsewhere !== null)
    return html`<${Empty} title=${`The work is on ${diff.elsewhere}`}>It can be read here once it is handed in.<//>`;
  if (diff.files.length === 0)
    return html`<${Empty} title="No changes so far">The work of a task appears here as soon as its agent writes a file.<//>`;
  const outside = diff.files.filter(({ isInScope }) => !isInScope).length;
  return html`<div class="diff">
    <div class="diff-head">
      <p class="muted">
        ${counted(diff.total, "file")}, ${diff.what}${
          outside === 0
            ? ""
            : html`, <strong class="bad-text">
        ${counted(outside, "file")} outside its lock</strong>`
        }</p>
      <div class="switch" role="group" aria-label="Layout of the changes">
        ${(["unified", "split"] as const).map(
          (name) => html`<button type="button" key=${name}
          aria-pressed=${layout === name} onClick=${() => setLayout(name)}>
          ${name === "unified" ? "Unified" : "Side by side"}</button>`,
        )}
      </div>
    </div>
    ${diff.files.map((file, at) => html`<${FileDiff} key=${file.path} task=${task} file=${file} layout=${layout} isFirst=${at < openFiles} />`)}
    ${diff.total > diff.files.length ? html`<p class="muted">and ${counted(diff.total - diff.files.length, "more file")}: <code>lockstep diff</code> shows all</p>` : null}
  </div>`;
}

interface FileProps {
  readonly task: string;
  readonly file: DiffFile;
  readonly layout: Layout;
  readonly isFirst: boolean;
}

function FileDiff({ task, file, layout, isFirst }: FileProps): VNode {
  const lines = (file.added ?? 0) + (file.deleted ?? 0);
  const [isOpen, setOpen] = useState(isFirst && lines <= openLinesMax);
  return html`<div class=${`file${file.isInScope ? "" : " outside"}`}>
    <h3><button type="button" class="file-head" aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>
      <span class="fold" aria-hidden="true">${isOpen ? "▾" : "▸"}</span><span class="path">${file.path}</span>
      ${file.isInScope ? null : html`<span class="chip bad">outside its lock</span>`}
      <span class="counts">
        ${file.added === null ? "binary" : html`<span class="added">+${file.added}</span> <span class="deleted">−${file.deleted}</span>`}</span>
    </button></h3>
    ${isOpen ? html`<${FileBody} task=${task} file=${file} layout=${layout} />` : null}
  </div>`;
}

/** The diff of a file, read in parts. */
function FileBody({ task, file, layout }: Omit<FileProps, "isFirst">): VNode {
  const [read, setRead] = useState<{ readonly text: string; readonly next: number | null } | undefined>(
    undefined,
  );
  const [fault, setFault] = useState<string | undefined>(undefined);
  const [shown, setShown] = useState(linesShown);
  const more = async (from: number, before: string) => {
    try {
      const { text, next } = await client.get("diff-part", { task, file: file.number, from });
      setRead({ text: before + text, next });
    } catch (error) {
      setFault(messageOf(error));
    }
  };
  useEffect(() => void more(0, ""), [task, file.number, file.added, file.deleted]);
  const rows = useMemo(() => (read === undefined ? [] : rowsOf(read.text, file.path)), [read?.text]);
  if (read === undefined) return html`<${Loading} what="the file" fault=${fault} />`;
  if (rows.length === 0)
    return html`<p class="muted pad">No lines to show: the file is binary, or only its mode or name changed.</p>`;
  const visible = rows.slice(0, shown);
  return html`<div>
    <div class="lines" tabindex="0" role="region" aria-label=${`Changes in ${file.path}`}>
      <table class=${layout}>${layout === "split" ? splitColumns : null}<tbody>
        ${layout === "unified" ? visible.map(unifiedRow) : splitRows(visible).map(splitRow)}</tbody>
        </table>
    </div>
    ${
      rows.length > shown || read.next !== null
        ? html`<button type="button" class="more"
          onClick=${() => (rows.length > shown ? setShown(shown + linesShown * 4) : void more(read.next ?? 0, read.text))}>
          ${rows.length > shown ? `Show ${counted(Math.min(rows.length - shown, linesShown * 4), "more line")}` : "Read more of this file"}</button>`
        : null
    }
  </div>`;
}

interface Row {
  readonly kind: "same" | "added" | "deleted" | "part";
  readonly before: number | null;
  readonly after: number | null;
  readonly words: Words;
}

function rowsOf(text: string, path: string): readonly Row[] {
  const start = text.indexOf("\n@@ ");
  if (start === -1) return [];
  // A part may end within a hunk, whose header then promises more lines than there are.
  return hunksIn(text).flatMap((hunk) => hunkRows(hunk, path));
}

function hunksIn(text: string): readonly StructuredPatchHunk[] {
  try {
    return parsePatch(text).flatMap(({ hunks }) => hunks);
  } catch {
    return text
      .slice(text.indexOf("\n@@ ") + 1)
      .split(/^(?=@@ )/m)
      .map((part): StructuredPatchHunk => {
        const [head = "", ...lines] = part.split("\n");
        const [, oldStart = "1", newStart = "1"] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(head) ?? [];
        return {
          oldStart: Number(oldStart),
          newStart: Number(newStart),
          oldLines: 0,
          newLines: 0,
          lines: lines.filter((line) => line !== ""),
        };
      });
  }
}

function hunkRows({ oldStart, newStart, lines }: StructuredPatchHunk, path: string): readonly Row[] {
  const body = lines.filter((line) => !line.startsWith("\\"));
  const side = (without: string) => {
    const kept = body.filter((line) => !line.startsWith(without)).map((line) => line.slice(1));
    return highlightLines(kept.join("\n"), path)[Symbol.iterator]();
  };
  const [old, now] = [side("+"), side("-")];
  let [before, after] = [oldStart, newStart];
  const head: Row = { kind: "part", before: null, after: null, words: [`line ${newStart}`] };
  const rows = body.map((line): Row => {
    if (line.startsWith("+"))
      return { kind: "added", before: null, after: after++, words: now.next().value ?? [] };
    if (line.startsWith("-"))
      return { kind: "deleted", before: before++, after: null, words: old.next().value ?? [] };
    old.next();
    return { kind: "same", before: before++, after: after++, words: now.next().value ?? [] };
  });
  return [head, ...rows];
}

const splitColumns = html`<colgroup><col class="numbers" /><col /><col class="numbers" /><col /></colgroup>`;

const marks = { same: " ", added: "+", deleted: "−", part: " " } as const;

function unifiedRow({ kind, before, after, words }: Row, at: number): VNode {
  if (kind === "part") return html`<tr class="part" key=${at}><td colspan="4">${words}</td></tr>`;
  return html`<tr class=${kind} key=${at}><td class="at">${before}</td><td class="at">${after}</td>
    <td class="sign">${marks[kind]}</td><td class="code">${words}</td></tr>`;
}

/** Deleted lines in one row with the added lines that follow them. */
function splitRows(rows: readonly Row[]): readonly (readonly [Row | null, Row | null])[] {
  const pairs: [Row | null, Row | null][] = [];
  let waiting: Row[] = [];
  const flush = () => {
    for (const row of waiting) pairs.push([row, null]);
    waiting = [];
  };
  for (const row of rows) {
    if (row.kind === "deleted") waiting.push(row);
    else if (row.kind === "added") pairs.push([waiting.shift() ?? null, row]);
    else {
      flush();
      pairs.push([row, row]);
    }
  }
  flush();
  return pairs;
}

function splitRow([left, right]: readonly [Row | null, Row | null], at: number): VNode {
  if (left?.kind === "part") return html`<tr class="part" key=${at}><td colspan="4">${left.words}</td></tr>`;
  const cell = (row: Row | null, number: number | null | undefined) =>
    html`<td class=${`at ${row?.kind ?? "none"}`}>${number}</td><td class=${`code ${row?.kind ?? "none"}`}>${row?.words}</td>`;
  return html`<tr key=${at}>${cell(left, left?.before)}${cell(right, right?.after)}</tr>`;
}
