import { shortened } from "../../core/text/quoted.ts";
import { field, isObject, isText } from "../../core/values/fields.ts";

const findingLengthMax = 1000;

/** A finding, a comment or a question as one line, its severity first; empty if it has no text. */
export function findingLine(found: unknown): string {
  if (typeof found === "string") return oneLine(found);
  const text = (...names: readonly string[]) => names.map((name) => field(found, name)).find(isText);
  const message = text("message", "description", "question", "title");
  if (!isObject(found) || message === undefined) return oneLine(JSON.stringify(found) ?? "");
  const line = field(found, "line");
  const file = text("file", "path");
  const place = file === undefined ? undefined : `${file}${Number.isSafeInteger(line) ? `:${line}` : ""}`;
  const category = text("category");
  const fix = text("suggested_fix", "recommended_fix");
  const body = `${category === undefined ? "" : `[${category}] `}${message}${fix === undefined ? "" : `; ${fix}`}`;
  return oneLine([text("severity"), place, body].filter((part) => part !== undefined).join(": "));
}

export type Severity = "blocking" | "medium" | "minor";

const blocking = /^[\s[(*-]*(?:critical|high|blocker|major)\b/i;
const medium = /^[\s[(*-]*(?:medium|moderate)\b/i;

/** The severity by the finding's first word; `minor` without one. */
export function severityOf(finding: string): Severity {
  if (blocking.test(finding)) return "blocking";
  return medium.test(finding) ? "medium" : "minor";
}

function oneLine(text: string): string {
  return shortened(text.replace(/\s+/g, " ").trim(), findingLengthMax);
}
