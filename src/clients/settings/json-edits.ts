import { commaBetween, type JsonChild, type JsonNode, skipTrivia } from "../../core/text/json-tree.ts";

/**
 * Edits that change nothing else and can be undone to the byte. In a container that was empty, the first added child
 * follows the bracket directly; in a container that was added with the child, white space comes first. `cameWith` uses
 * this difference.
 */
export function addedTo(text: string, container: JsonNode, part: { key?: string; value: unknown }): string {
  const { unit, eol } = layoutOf(text);
  const last = container.children.at(-1);
  const indent =
    last === undefined ? lineIndent(text, container.start) + unit : childIndent(text, last, unit);
  const key = part.key === undefined ? "" : `${JSON.stringify(part.key)}: `;
  const written = key + JSON.stringify(part.value, null, unit).replaceAll("\n", `${eol}${indent}`);
  const first = container.start + 1;
  if (last === undefined) return text.slice(0, first) + written + text.slice(first);
  const close = container.end - 1;
  const comma = commaBetween(text, last.end, close);
  const end = text.slice(0, close).trimEnd().length;
  const [head, middle] = [text.slice(0, last.end), text.slice(last.end, end)];
  const glue = comma === undefined ? "," : "";
  const after = comma === undefined ? "" : ",";
  return `${head}${glue}${middle}${eol}${indent}${written}${after}${text.slice(end)}`;
}

/** The text without one child, the white space before it, and its comma. */
export function cutFrom(text: string, container: JsonNode, child: JsonChild): string {
  const at = container.children.indexOf(child);
  const next = container.children[at + 1];
  const comma =
    commaBetween(text, child.end, next?.start ?? container.end - 1) ??
    (at > 0 ? commaBetween(text, container.children[at - 1]?.end ?? 0, child.start) : undefined);
  const start = text.slice(0, child.start).trimEnd().length;
  const spans: (readonly [number, number])[] = [[start, child.end]];
  if (comma !== undefined) spans.push([comma, comma + 1]);
  return without(text, spans);
}

/** True if the container was added together with its first child. */
export function cameWith(text: string, container: JsonNode): boolean {
  return /\s/.test(text[container.start + 1] ?? "");
}

function without(text: string, spans: readonly (readonly [number, number])[]): string {
  const later = [...spans].sort(([one], [other]) => other - one);
  return later.reduce((rest, [start, end]) => rest.slice(0, start) + rest.slice(end), text);
}

function childIndent(text: string, child: JsonChild, unit: string): string {
  const indent = lineIndent(text, child.start);
  const line = text.lastIndexOf("\n", child.start - 1) + 1;
  return line + indent.length === child.start ? indent : indent + unit;
}

function lineIndent(text: string, at: number): string {
  const line = text.lastIndexOf("\n", at - 1) + 1;
  return /^[ \t]*/.exec(text.slice(line))?.[0] ?? "";
}

function layoutOf(text: string): { unit: string; eol: string } {
  const root = skipTrivia(text, 0);
  const unit = /\n([ \t]+)\S/.exec(text.slice(root))?.[1] ?? "  ";
  return { unit, eol: text.includes("\r\n") ? "\r\n" : "\n" };
}
