import { foldPath } from "./fold.ts";
import { locate, locateReal } from "./locate.ts";
import type { Disk, Place } from "./place.ts";
import { isPattern, type SegmentPattern, segmentPattern } from "./segment-pattern.ts";

/** A scope entry as written, and the path shapes that it matches. */
export interface Entry {
  readonly text: string;
  readonly shapes: readonly Shape[];
}

/** `deep`: also matches everything below. `dir/**` is the deep shape `dir/*`, so it does not match `dir` itself. */
export interface Shape {
  readonly segments: readonly Segment[];
  readonly deep: boolean;
}

export const anyDepth = Symbol("**");
export type Segment = string | SegmentPattern | typeof anyDepth;

const alternativesMax = 64;
/** The cost of comparing two patterns is the product of their wildcard counts. */
const starsMax = 16;

export type EntryResult = { readonly entry: Entry } | { readonly error: string };

/**
 * Reads a scope entry: a plain path, or a glob with `*`, `**`, `?`, `[a-z]` and `{a,b}`. With a disk, an entry
 * that leads through a link matches both the path as written and the link's target.
 */
export function readEntry(text: string, place: Place, disk?: Disk): EntryResult {
  if (!text.isWellFormed()) return { error: "it is not valid Unicode, so it cannot be a file name" };
  const located = locate(text.trim(), { ...place, cwd: place.root });
  if (located.where === "invalid") return { error: located.why };
  if (located.where === "outside") return { error: "it leaves the project" };
  const unsupported = whyUnsupported(located.path);
  if (unsupported !== undefined) return { error: unsupported };
  const alternatives = expandBraces(located.path);
  if (alternatives === undefined) return { error: `it has more than ${alternativesMax} alternatives` };
  const shapes = alternatives.map((path) => globShape(path, place));
  // `app/[id]` is a character class in a glob and a plain name in web frameworks: the entry matches both.
  if (located.path.includes("[")) shapes.push(plainShape(located.path, place));
  const entry = { text: located.path === "" ? "." : located.path, shapes };
  return disk === undefined ? { entry } : withRealShapes(entry, place, disk);
}

function whyUnsupported(path: string): string | undefined {
  if (/^!|[!@+*?]\([^)]*\)/.test(path)) return "negation and ( ) groups are not supported in a scope";
  if (/\[[:.=]|\{[^,{}]*\.\.[^,{}]*\}/.test(path))
    return "named classes and ranges in braces are not supported in a scope";
  const stars = path.split("*").length - 1;
  return stars > starsMax ? `it has more than ${starsMax} wildcards` : undefined;
}

function withRealShapes(entry: Entry, place: Place, disk: Disk): EntryResult {
  const shapes = [...entry.shapes];
  for (const { segments, deep } of entry.shapes) {
    const wild = segments.findIndex((segment) => typeof segment !== "string");
    const named = wild < 0 ? segments : segments.slice(0, wild);
    const path = named.join("/");
    const real = locateReal(disk.realPath(`${place.root}/${path}`), place);
    if (real.where !== "inside") return { error: "it leads out of the project, through a link" };
    if (real.path === path) continue;
    shapes.push({ segments: [...splitPath(real.path, place), ...segments.slice(named.length)], deep });
  }
  return { entry: { ...entry, shapes } };
}

/** The entry for exactly this path and everything below it. */
export function plainEntry(path: string, place: Place): Entry {
  return { text: path === "" ? "." : path, shapes: [plainShape(path, place)] };
}

/** The entry for exactly this path. */
export function fileEntry(path: string, place: Place): Entry {
  return { text: path, shapes: [{ ...plainShape(path, place), deep: false }] };
}

export function isGlob({ shapes }: Entry): boolean {
  return shapes.some(({ segments }) => segments.some((segment) => typeof segment !== "string"));
}

export function splitPath(path: string, place: Place): string[] {
  if (path === "") return [];
  return (place.folds === true ? foldPath(path) : path).split("/");
}

function plainShape(path: string, place: Place): Shape {
  return { segments: splitPath(path, place), deep: true };
}

function globShape(path: string, place: Place): Shape {
  const segments: Segment[] = splitPath(path, place).map((segment) =>
    segment === "**" ? anyDepth : isPattern(segment) ? segmentPattern(segment) : segment,
  );
  if (segments.every((segment) => typeof segment === "string")) return { segments, deep: true };
  let deep = false;
  while (segments.at(-1) === anyDepth) {
    segments.pop();
    deep = true;
  }
  if (deep) segments.push(segmentPattern("*"));
  return { segments, deep };
}

/** `a{b,c}` → `ab`, `ac`; braces without a comma are literal. */
function expandBraces(text: string): string[] | undefined {
  let done: string[] = [];
  let open = [text];
  while (open.length > 0) {
    const next: string[] = [];
    for (const item of open) {
      const parts = firstBraces(item);
      if (parts === undefined) done.push(item);
      else for (const choice of parts.choices) next.push(parts.before + choice + parts.after);
    }
    if (done.length + next.length > alternativesMax) return undefined;
    open = next;
  }
  done = [...new Set(done)];
  return done;
}

/** The first `{…}` that directly contains a comma, found in one pass. */
function firstBraces(text: string) {
  const open: { start: number; commas: number[] }[] = [];
  let found: { start: number; commas: number[]; end: number } | undefined;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "{") open.push({ start: at, commas: [] });
    else if (text[at] === ",") open.at(-1)?.commas.push(at);
    else if (text[at] === "}") {
      const group = open.pop();
      const isOuter = group !== undefined && (found === undefined || group.start < found.start);
      if (isOuter && group.commas.length > 0) found = { ...group, end: at };
      if (open.length === 0 && found !== undefined) break;
    }
  }
  if (found === undefined) return undefined;
  const cuts = [found.start, ...found.commas, found.end];
  const choices = cuts.slice(1).map((cut, index) => text.slice((cuts[index] as number) + 1, cut));
  return { before: text.slice(0, found.start), choices, after: text.slice(found.end + 1) };
}
