/** The tests inside source files, each as one text. They cannot be restored from the base like test files. */
export function testItemsIn(path: string, text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  if (path.endsWith(".rs")) return [...rustItems(text), ...rustExamples(text)];
  if (path.endsWith(".py")) return pythonExamples(text);
  return /\.[cm]?[jt]sx?$/.test(path) ? vitestItems(text) : [];
}

/** The items of `#[cfg(test)]` modules, and test functions next to the code. */
function rustItems(text: string): readonly string[] {
  if (!/#\[(?:cfg\([^\]]*\btest\b|(?:\w+::)*test\b)/.test(text)) return [];
  return itemsOf(text).flatMap((item) => {
    if (!/#\[(?:cfg\([^\]]*\btest\b[^\]]*\)|(?:\w+::)*test\b[^\]]*)\]/.test(item)) return [];
    const open = item.indexOf("{");
    const header = open < 0 ? item : item.slice(0, open);
    if (open < 0 || !/\bmod\s+\w+\s*$/.test(header)) return [item];
    return [
      plain(header),
      ...itemsOf(item.slice(open + 1, item.lastIndexOf("}"))).map((one) => `tests: ${one}`),
    ];
  });
}

/** Splits at semicolons and closing braces of the outermost level, without comments. */
function itemsOf(text: string): readonly string[] {
  const items: string[] = [];
  const bare = withoutRustComments(text);
  let [depth, start] = [0, 0];
  for (let at = 0; at < bare.length; at += 1) {
    const skipped = literalEnd(bare, at);
    if (skipped > at) {
      at = skipped - 1;
      continue;
    }
    const sign = bare[at];
    if (sign === "{" || sign === "(" || sign === "[") depth += 1;
    if (sign === "}" || sign === ")" || sign === "]") depth -= 1;
    const ends = depth === 0 && (sign === ";" || sign === "}");
    if (!ends) continue;
    items.push(plain(bare.slice(start, at + 1)));
    start = at + 1;
  }
  return items.filter((item) => item !== "");
}

/** The end of a string or character literal that begins at `at`; `at` itself if none does. */
function literalEnd(text: string, at: number): number {
  const raw = /^r(#*)"/.exec(text.slice(at, at + 10));
  if (raw !== null && !/\w/.test(text[at - 1] ?? "")) {
    const end = text.indexOf(`"${raw[1]}`, at + raw[0].length);
    return end < 0 ? text.length : end + 1 + (raw[1]?.length ?? 0);
  }
  if (text[at] === "'")
    return at + (/^'(?:\\(?:u\{[^}]*\}|x..|.)|[^\\'])'/.exec(text.slice(at, at + 14))?.[0].length ?? 0);
  if (text[at] !== '"') return at;
  for (let end = at + 1; end < text.length; end += 1) {
    if (text[end] === "\\") end += 1;
    else if (text[end] === '"') return end + 1;
  }
  return text.length;
}

function withoutRustComments(text: string): string {
  let bare = "";
  for (let at = 0; at < text.length; ) {
    const end = literalEnd(text, at);
    if (end > at) {
      bare += text.slice(at, end);
      at = end;
    } else if (text.startsWith("//", at)) {
      const line = text.indexOf("\n", at);
      at = line < 0 ? text.length : line;
    } else if (text.startsWith("/*", at)) {
      const close = text.indexOf("*/", at);
      at = close < 0 ? text.length : close + 2;
    } else bare += text[at++];
  }
  return bare;
}

/** Code blocks in documentation, which `cargo test` runs. */
function rustExamples(text: string): readonly string[] {
  const docs = text
    .split("\n")
    .map((line) => /^\s*\/\/[/!] ?(.*)$/.exec(line)?.[1] ?? "\0")
    .join("\n");
  return [...docs.matchAll(/^```([^\n`]*)\n([\s\S]*?)^```/gm)].flatMap(([, info = "", body = ""]) =>
    body.includes("\0") ||
    /^\s*(?:text|sh|bash|console|json|toml|yaml|html|js|ts|python|c|plain)\b/i.test(info)
      ? []
      : [`example ${info.trim()}: ${plain(body)}`],
  );
}

/** Each prompt of a doctest with its expected output. */
function pythonExamples(text: string): readonly string[] {
  const found: string[] = [];
  let example: string[] | undefined;
  for (const line of text.split("\n").map((one) => one.trim())) {
    const isEnd = line === "" || /^(?:>>>|"""|''')/.test(line);
    if (isEnd && example !== undefined) {
      found.push(`example: ${plain(example.join("\n"))}`);
      example = undefined;
    }
    if (line.startsWith(">>>")) example = [line];
    else example?.push(line);
  }
  return found;
}

/** The lines of the block that only vitest runs. */
function vitestItems(text: string): readonly string[] {
  const at = text.search(/^.*\bimport\.meta\.vitest\b/m);
  if (at < 0) return [];
  return text
    .slice(at)
    .split("\n")
    .map(plain)
    .filter((line) => /\w/.test(line));
}

function plain(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
