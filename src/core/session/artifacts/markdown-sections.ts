/** A required section, and how its heading may begin. */
export interface WantedSection {
  readonly name: string;
  /** In lower case. */
  readonly words: readonly string[];
}

type Line = { readonly text: string } | { readonly title: string; readonly level: number };

/** The missing and the empty sections of a document (A4-19). */
export function judgeSections(file: string, text: string, wanted: readonly WantedSection[]): string[] {
  const lines = linesOf(text);
  return wanted.flatMap(({ name, words }) => {
    const found = [...lines.entries()].filter(([, line]) => "title" in line && isCalled(line.title, words));
    if (found.length === 0)
      return [`${file}: section \`${name}\` is missing: add a heading \`## ${name}\` with text below it`];
    if (found.some(([at]) => hasContent(lines, at))) return [];
    return [`${file}: section \`${name}\` is empty: add text below its heading`];
  });
}

/** Numbers and symbols may precede the words, and more text may follow. */
function isCalled(title: string, words: readonly string[]): boolean {
  const plain = title
    .replace(/[*_`]/g, "")
    .replace(/^[^\p{L}]+/u, "")
    .replace(/\s+/g, " ")
    .toLowerCase();
  return words.some((word) => plain.startsWith(word) && !/^[\p{L}\p{N}]/u.test(plain.slice(word.length)));
}

/** Looks up to the next heading of the same or a higher level. Rules and list marks are not content. */
function hasContent(lines: readonly Line[], heading: number): boolean {
  const own = lines[heading];
  const level = own !== undefined && "level" in own ? own.level : 0;
  for (let at = heading + 1; at < lines.length; at += 1) {
    const line = lines[at] as Line;
    if ("text" in line ? /[\p{L}\p{N}]/u.test(line.text) : line.level <= level) return "text" in line;
  }
  return false;
}

/** Ignores headings inside code blocks, and drops comments. */
function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  let fence: string | undefined;
  for (const line of withoutComments(text).split(/\r\n|\r|\n/)) {
    const [, marks = "", rest = ""] = /^\s*(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (fence !== undefined) {
      if (marks.startsWith(fence) && rest.trim() === "") fence = undefined;
      else lines.push({ text: line });
    } else if (marks !== "" && !(marks.startsWith("`") && rest.includes("`"))) fence = marks;
    else addLine(lines, line);
  }
  return lines;
}

function addLine(lines: Line[], line: string): void {
  const [, signs] = /^ {0,3}(#{1,6})(?![^ \t])/.exec(line) ?? [];
  if (signs !== undefined) {
    const title = line.trim().slice(signs.length).trim();
    lines.push({ title: title.replace(/\s#+$/, ""), level: signs.length });
    return;
  }
  const above = lines.at(-1);
  const [, underline] = /^ {0,3}(=+|-+)[ \t]*$/.exec(line) ?? [];
  const isUnderlined =
    underline !== undefined && above !== undefined && "text" in above && isPlain(above.text);
  if (isUnderlined)
    lines.splice(-1, 1, { title: above.text.trim(), level: underline.startsWith("=") ? 1 : 2 });
  else lines.push({ text: line });
}

/** True for a line of a paragraph, not of a list, a quotation or a table. */
function isPlain(text: string): boolean {
  return /^ {0,3}[^\s>|+*-]/.test(text);
}

function withoutComments(text: string): string {
  let kept = "";
  let at = 0;
  for (;;) {
    const start = text.indexOf("<!--", at);
    const end = start < 0 ? -1 : text.indexOf("-->", start);
    if (end < 0) return kept + text.slice(at);
    kept += text.slice(at, start);
    at = end + 3;
  }
}
