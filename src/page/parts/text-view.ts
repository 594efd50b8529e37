import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { TextPart } from "../../contract/board.ts";
import { AnsiLine } from "./ansi.ts";
import type { Query } from "./client.ts";
import { Command, Empty, Loading, timeText } from "./parts.ts";
import { client, follow, messageOf } from "./store.ts";

/** The lines that stay in the page. */
const linesMax = 2000;

function Lines({ text, label }: { readonly text: string; readonly label: string }): VNode {
  const lines = text.replace(/\n$/, "").split("\n");
  return html`<pre class="log" tabindex="0" role="region" aria-label=${label}>${lines.slice(-linesMax).map(
    (line, at) => html`<div key=${at} class="log-line">
    <${LogLine} text=${line} /></div>`,
  )}</pre>`;
}

const leadingTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z /;

/** With the time in front in the local time zone. */
function LogLine({ text }: { readonly text: string }): VNode {
  const [time = ""] = leadingTime.exec(text) ?? [];
  if (time === "") return html`<${AnsiLine} text=${text} />`;
  return html`<time class="muted" datetime=${time.trim()}>${timeText(time.trim())}</time>${" "}<${AnsiLine} text=${text.slice(time.length)} />`;
}

/** A text that is read in parts, from its beginning. */
export function LongText({
  name,
  query,
  label,
}: {
  readonly name: "output" | "documents";
  readonly query: Query;
  readonly label: string;
}): VNode {
  const [read, setRead] = useState<TextPart | undefined>(undefined);
  const [fault, setFault] = useState<string | undefined>(undefined);
  const more = async (from: number, before: string) => {
    try {
      const part = await client.get(name, { ...query, from });
      setRead({ ...part, text: before + part.text });
    } catch (error) {
      setFault(messageOf(error));
    }
  };
  useEffect(() => void more(0, ""), [JSON.stringify(query)]);
  if (read === undefined) return html`<${Loading} what=${label} fault=${fault} />`;
  return html`<div><${Lines} text=${read.text} label=${label} />
    ${
      read.next === null
        ? null
        : html`<button type="button" class="more"
      onClick=${() => void more(read.next ?? 0, read.text)}>Read more (${Math.round((read.next / read.size) * 100)} % so far)</button>`
    }
  </div>`;
}

/** The end of a log, which grows while its task works; older parts on demand. */
export function LogView({
  task,
  hasLog,
  elsewhere,
}: {
  readonly task: string;
  readonly hasLog: boolean;
  readonly elsewhere: string | null;
}): VNode {
  const [read, setRead] = useState<TextPart | undefined>(undefined);
  const [fault, setFault] = useState<string | undefined>(undefined);
  const known = useRef<TextPart | undefined>(undefined);
  const box = useRef<HTMLDivElement>(null);
  const keep = (part: TextPart) => {
    known.current = part;
    setRead(part);
  };
  useEffect(() => {
    if (!hasLog) return;
    let isOver = false;
    const look = async () => {
      const before = known.current;
      const end = before === undefined ? undefined : before.from + before.size;
      try {
        const part = await client.get("log", end === undefined ? { task } : { task, from: end });
        if (isOver) return;
        const pane = box.current?.querySelector("pre");
        const isAtEnd = pane == null || pane.scrollHeight - pane.scrollTop - pane.clientHeight < 40;
        // `size` counts the bytes that are shown, from `from` on.
        const shown = part.next ?? part.size;
        if (before === undefined) keep({ ...part, size: shown - part.from });
        else if (part.text !== "")
          keep({ ...before, text: tail(before.text + part.text), size: shown - before.from });
        if (isAtEnd)
          requestAnimationFrame(() =>
            box.current?.querySelector("pre")?.scrollTo(0, Number.MAX_SAFE_INTEGER),
          );
      } catch (error) {
        if (!isOver) setFault(messageOf(error));
      }
    };
    const stop = new AbortController();
    void follow(stop.signal, look);
    return () => {
      isOver = true;
      stop.abort();
    };
  }, [task, hasLog]);
  const older = async () => {
    const before = known.current;
    if (before === undefined) return;
    try {
      const part = await client.get("log", { task, end: before.from });
      keep({
        from: part.from,
        next: null,
        size: before.size + before.from - part.from,
        text: part.text + before.text,
      });
    } catch (error) {
      setFault(messageOf(error));
    }
  };
  if (!hasLog && elsewhere !== null)
    return html`<${Empty} title=${`The log is on ${elsewhere}`}>None of it has arrived here yet.
      <${Command} line=${`lockstep log ${task} -f`} /> shows its end.<//>`;
  if (!hasLog)
    return html`<${Empty} title="No log yet">Agents that are started by <code>lockstep run</code> write one.<//>`;
  if (read === undefined) return html`<${Loading} what="the log" fault=${fault} />`;
  return html`<div ref=${box}>
    ${elsewhere === null ? null : html`<p class="muted">The agent works on ${elsewhere}. Only the end of its log is shown here.</p>`}
    ${read.from === 0 ? null : html`<button type="button" class="more" onClick=${older}>Read older lines</button>`}
    <${Lines} text=${read.text} label="Log of the task" />
  </div>`;
}

const tailLength = 400_000;

function tail(text: string): string {
  return text.length <= tailLength ? text : text.slice(text.indexOf("\n", text.length - tailLength) + 1);
}
