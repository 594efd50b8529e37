/** A path that a patch names, as it is written there. */
export interface PatchTarget {
  readonly path: string;
  readonly action: "write" | "delete" | "move";
}

const envelope = /^\s*\*\*\* (Add File|Update File|Delete File|Move to):(.*)$/s;

/** How many folders are cut off a path, as in `patch -p`; `all` keeps the last name; undefined guesses. */
export type Strip = number | "all" | undefined;

/** Every path that a patch would change: an `apply_patch` envelope or a unified, context or git diff. */
export function readPatch(text: string, strip?: Strip): PatchTarget[] {
  const lines = text.split(/\r?\n/);
  const own = lines.flatMap(readEnvelope);
  const found = own.length > 0 ? own : readDiff(lines, strip);
  return [...new Map(found.map((target) => [`${target.action} ${target.path}`, target])).values()];
}

function readEnvelope(line: string): PatchTarget[] {
  const match = envelope.exec(line);
  const path = match?.[2]?.trim();
  if (match === null || path === undefined || path === "") return [];
  return [{ path, action: match[1] === "Delete File" ? "delete" : "write" }];
}

/** Counts the lines of each hunk, so that a removed line `-- x` is not taken for a header. */
function readDiff(lines: readonly string[], strip: Strip): PatchTarget[] {
  const targets: PatchTarget[] = [];
  let left = { old: 0, new: 0 };
  let isGit = false;
  for (const line of lines) {
    if (left.old > 0 || left.new > 0) {
      left = afterHunkLine(left, line);
      continue;
    }
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    if (hunk !== null) {
      left = { old: Number(hunk[1] ?? 1), new: Number(hunk[2] ?? 1) };
      continue;
    }
    if (line.startsWith("diff --git ")) isGit = true;
    targets.push(...readHeader(line, isGit, strip));
  }
  return targets;
}

function afterHunkLine(left: { old: number; new: number }, line: string): { old: number; new: number } {
  if (line.startsWith("\\")) return left;
  if (line.startsWith("-")) return { old: left.old - 1, new: left.new };
  if (line.startsWith("+")) return { old: left.old, new: left.new - 1 };
  return { old: left.old - 1, new: left.new - 1 };
}

/** More than two paths can be long: what is behind it names nothing, and would take long to look through. */
const headerLengthMax = 16_384;

function readHeader(whole: string, isGit: boolean, strip: Strip): PatchTarget[] {
  const line = whole.slice(0, headerLengthMax);
  const moved = /^(?:rename|copy) (from|to) (.+)$/.exec(line);
  if (moved !== null && isGit) {
    const path = stripped(unquoted(moved[2] ?? ""), typeof strip === "number" ? strip - 1 : (strip ?? 0));
    return [{ path, action: moved[1] === "from" ? "move" : "write" }];
  }
  const both = /^diff --git (?:"?a\/(.+?)"?) (?:"?b\/(.+?)"?)$/.exec(line);
  if (both !== null) return [both[1], both[2]].flatMap((path) => target(`a/${path ?? ""}`, strip));
  const named = /^(?:---|\+\+\+|\*\*\*|Index:) ([^\t]+)/.exec(line);
  if (named === null || /^\*\*\* \d+(,\d+)? \*\*\*\*$/.test(line) || /^--- \d+(,\d+)? ----$/.test(line))
    return [];
  return target(unquoted((named[1] ?? "").trim()), strip);
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
    rest = rest.slice(slash + 1);
  }
  return rest;
}

function unquoted(path: string): string {
  return path.startsWith('"') && path.endsWith('"') ? path.slice(1, -1) : path;
}
