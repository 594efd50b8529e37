import { type Entry, readEntry } from "../paths/entry.ts";
import { locate } from "../paths/locate.ts";
import type { Place } from "../paths/place.ts";
import { patternSource } from "./remove-part.ts";
import { absoluteText } from "./resolve-path.ts";
import { known, knownParts, type Text } from "./text.ts";
import type { ShellWrite } from "./types.ts";

/** Where a write would go, as far as it is known. */
export type Target =
  /** `printed`: a path below it that a program prints; `links`: paths with such names may be links. */
  | {
      readonly kind: "path";
      readonly path: string;
      readonly tree: boolean;
      readonly printed?: true;
      readonly links?: string;
    }
  | { readonly kind: "glob"; readonly pattern: string; readonly entry: Entry }
  | { readonly kind: "outside"; readonly path: string }
  /** The end of a pipe, or an empty word: no file. */
  | { readonly kind: "nowhere" }
  | { readonly kind: "unresolved"; readonly text: string };

/** One target for each folder that a relative path may start from. */
export function targetsOf(write: ShellWrite, place: Place): readonly Target[] {
  return write.from.map((cwd) => targetFrom(write, cwd, place));
}

function targetFrom(write: ShellWrite, cwd: string | undefined, place: Place): Target {
  const { target } = write;
  const pipe = target.find((piece) => piece.kind === "pipe");
  if (pipe?.kind === "pipe")
    return pipe.isFile === true ? { kind: "unresolved", text: "/dev/fd/…" } : { kind: "nowhere" };
  if (target.length === 0) return { kind: "nowhere" };
  const text = absoluteText(target, cwd);
  const unresolved = { kind: "unresolved", text: knownParts(target, "…") } as const;
  // A shell treats a backslash as an ordinary character, but in a name it is almost always a mistake.
  if (!knownParts(text).startsWith("/") || knownParts(text).includes("\\")) return unresolved;
  const path = known(text);
  if (path !== undefined) return { kind: "path", path, tree: write.tree };
  if (text.some(({ kind }) => kind === "unknown" || kind === "processes")) return unresolved;
  const folder = belowFolder(text);
  if (folder !== undefined)
    return { kind: "path", path: folder.path, tree: true, printed: true, ...linksOf(folder.piece) };
  return globTarget(text, write.tree, place) ?? unresolved;
}

/** `find src/a` prints src/a and the paths below it. */
function belowFolder(text: Text) {
  const at = text.findIndex((piece) => piece.kind === "below");
  const piece = text[at];
  const path = at < 0 ? undefined : known(text.slice(0, at));
  const after = text.slice(at + 1);
  // Text after the path may be a suffix of the name, but must not contain `..`.
  return path === undefined || piece === undefined || knownParts(after, "").includes("..")
    ? undefined
    : { path, piece };
}

function linksOf(piece: Text[number]): { links?: string } {
  return piece.kind === "below" && piece.links !== undefined ? { links: piece.links } : {};
}

function globTarget(text: Text, tree: boolean, place: Place): Target | undefined {
  const source = patternSource(
    text.flatMap((piece) => (piece.kind === "name" ? [{ kind: "glob", text: "*" } as const] : [piece])),
  );
  if (source === undefined || hasRiskyDots(source)) return undefined;
  const located = locate(source, place);
  if (located.where === "outside") return { kind: "outside", path: literalStart(text) };
  const result = readEntry(source, place);
  if ("error" in result) return undefined;
  const shapes = result.entry.shapes.map((shape) => ({ ...shape, deep: shape.deep || tree }));
  return { kind: "glob", pattern: source, entry: { ...result.entry, shapes } };
}

// `.*` can match `..`; a `..` after a wildcard may lead elsewhere than it reads; `[[:alpha:]]` is not followed.
function hasRiskyDots(source: string): boolean {
  const segments = source.split("/");
  const wild = segments.findIndex((segment) => /[*?[]/.test(segment));
  return (
    /\[[:.=]/.test(source) ||
    segments.some((segment, index) => (segment === ".." && index > wild) || /^\.+[*?[]/.test(segment))
  );
}

function literalStart(text: Text): string {
  const first = text[0];
  return first?.kind === "literal" ? first.text : knownParts(text, "*");
}

/** A path as users see it: relative to the project if it is inside. */
export function projectPath(path: string, place: Place): string {
  const located = locate(path, place);
  return located.where === "inside" ? located.path || "." : path;
}
