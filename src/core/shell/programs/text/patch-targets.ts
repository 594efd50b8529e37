/** A path in a patch, as written there. */
export interface PatchTarget {
  readonly path: string;
  readonly action: "write" | "delete" | "move";
}

const envelope = /^\s*\*\*\*\s*(Add File|Update File|Delete File|Move to)\s*:(.*)$/s;

/** The number of folders to remove from a path, as in `patch -p`; `all` keeps only the last name; undefined guesses. */
export type Strip = number | "all" | undefined;

/** Every path that a patch tool would change: paths in `apply_patch` envelopes and in diffs outside them. */
export function readPatch(text: string): PatchTarget[] {
  const lines = linesOf(text);
  return unique([...lines.flatMap(readEnvelope), ...readHeaders(outsideEnvelopes(lines), { counts: true })]);
}

export interface DiffReading {
  readonly strip?: Strip;
  /** Whether the program relies on the line counts in hunk headers. */
  readonly counts: boolean;
}

/** Every path that `patch` or `git apply` would change, from a unified, context or git diff. */
export function readDiff(text: string, reading: DiffReading): PatchTarget[] {
  return unique(readHeaders(linesOf(text), reading));
}

const linesOf = (text: string): string[] => text.split(/\r?\n/);

function unique(found: readonly PatchTarget[]): PatchTarget[] {
  return [...new Map(found.map((target) => [`${target.action} ${target.path}`, target])).values()];
}

function readEnvelope(line: string): PatchTarget[] {
  const match = envelope.exec(line);
  const path = match?.[2]?.trim();
  if (match === null || path === undefined || path === "") return [];
  return [{ path, action: match[1] === "Delete File" ? "delete" : "write" }];
}

/** Removes envelopes: their content is lines of files, and a removed `-- x` looks like a header. */
function outsideEnvelopes(lines: readonly string[]): string[] {
  let inside = false;
  return lines.filter((line) => {
    const bound = /^\s*\*\*\* (Begin|End) Patch\s*$/.exec(line);
    if (bound !== null) inside = bound[1] === "Begin";
    return !inside && bound === null && !envelope.test(line);
  });
}

/**
 * The lines of a hunk are skipped, so that a removed line `-- x` is not read as a header. A hunk counts only directly
 * after its header or another hunk. Elsewhere programs skip the line as prose and continue.
 */
function readHeaders(lines: readonly string[], { strip, counts }: DiffReading): PatchTarget[] {
  const targets: PatchTarget[] = [];
  let left = { old: 0, new: 0 };
  let isGit = false;
  let mayBegin = false;
  lines.forEach((line, index) => {
    if (left.old > 0 || left.new > 0) {
      left = afterHunkLine(left, line);
      return;
    }
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    if (hunk !== null && counts && (mayBegin || isBelowHeader(lines, index))) {
      left = { old: Number(hunk[1] ?? 1), new: Number(hunk[2] ?? 1) };
      mayBegin = true;
      return;
    }
    if (!line.startsWith("\\")) mayBegin = false;
    const bare = line.replace(/^[ \tX]*(?:- )*/, ""); // `patch` also accepts indented and quoted headers
    if (bare.startsWith("diff --git ")) isGit = true;
    targets.push(...readHeader(bare, isGit, strip));
  });
  return targets;
}

function isBelowHeader(lines: readonly string[], index: number): boolean {
  return /^--- /.test(lines[index - 2] ?? "") && /^\+\+\+ /.test(lines[index - 1] ?? "");
}

function afterHunkLine(left: { old: number; new: number }, line: string): { old: number; new: number } {
  if (line.startsWith("\\")) return left;
  if (line.startsWith("-")) return { old: left.old - 1, new: left.new };
  if (line.startsWith("+")) return { old: left.old, new: left.new - 1 };
  return { old: left.old - 1, new: left.new - 1 };
}

/** Longer than any two paths. The rest of such a line names nothing and would be slow to scan. */
const headerLengthMax = 16_384;

function readHeader(whole: string, isGit: boolean, strip: Strip): PatchTarget[] {
  const line = whole.slice(0, headerLengthMax);
  const moved = /^(?:rename|copy) (from|to) (.+)$/.exec(line);
  if (moved !== null && isGit) {
    const path = stripped(unquoted(moved[2] ?? ""), typeof strip === "number" ? strip - 1 : (strip ?? 0));
    return [{ path, action: moved[1] === "from" ? "move" : "write" }];
  }
  if (line.startsWith("diff --git "))
    return gitNames(line.slice(11), strip).flatMap((name) => target(name, strip));
  const named = /^(?:(?:---|\+\+\+|\*\*\*)[ \t]|Index:)[ \t]*([^\t]+)/.exec(line);
  if (named === null || /^\*\*\* \d+(,\d+)? \*\*\*\*$/.test(line) || /^--- \d+(,\d+)? ----$/.test(line))
    return [];
  const spelled = unquoted((named[1] ?? "").trim());
  const undated = spelled.replace(/\s+(?:\d{4}-\d|[A-Z][a-z]{2},? ).*$/s, "");
  return [...new Set([spelled, undated])].flatMap((name) => target(name, strip));
}

/** Names may contain spaces. Either both names are equal after stripping, or each is one word. */
function gitNames(text: string, strip: Strip): string[] {
  if (text.includes('"'))
    return [...text.matchAll(/"(?:\\.|[^"\\])*"|\S+/gs)].map(([name]) => unquoted(name));
  const words = text.split(" ");
  const cut = (path: string) => stripped(path, strip ?? 1);
  const names = words.length === 2 ? words : [];
  for (let at = text.indexOf(" "); at >= 0; at = text.indexOf(" ", at + 1)) {
    const [left, right] = [text.slice(0, at), text.slice(at + 1)];
    if (cut(left) === cut(right)) names.push(left, right);
  }
  return names;
}

function target(spelled: string, strip: Strip): PatchTarget[] {
  if (spelled === "" || spelled === "/dev/null") return [];
  const path = strip === undefined ? spelled.replace(/^[abciow]\//, "") : stripped(spelled, strip);
  return path === "" ? [] : [{ path, action: "write" }];
}

function stripped(path: string, count: number | "all"): string {
  if (count === "all") return path.slice(path.lastIndexOf("/") + 1);
  let rest = path;
  for (let step = 0; step < count; step++) {
    const slash = rest.indexOf("/");
    if (slash < 0) break;
    rest = rest.slice(slash + 1).replace(/^\/+/, "");
  }
  return rest;
}

const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** Unquotes a name as git and `patch` do; bytes may be written in octal. */
function unquoted(path: string): string {
  const inside = /^"((?:\\.|[^"\\])*)"/s.exec(path)?.[1];
  if (inside === undefined) return path;
  const bytes = [...inside.matchAll(/\\([0-7]{1,3}|.)|[^\\]+/gs)].flatMap(([plain, escaped]): number[] => {
    if (escaped === undefined) return [...new TextEncoder().encode(plain)];
    if (/^[0-7]/.test(escaped)) return [Number.parseInt(escaped, 8) & 255];
    const code = escapes[escaped];
    return code === undefined ? [...new TextEncoder().encode(escaped)] : [code];
  });
  return new TextDecoder().decode(new Uint8Array(bytes));
}
