import type { Diff, DiffFile, TextPart } from "../../contract/board.ts";
import { readEntries, Scope } from "../../core/paths/scope.ts";
import type { Task } from "../../core/tasks/task.ts";
import { fetchWorkOf } from "../../run/landing/work/share-work.ts";
import { workRange } from "../../run/landing/work/work-range.ts";
import { tryGit } from "../../workspace/git/run-git.ts";
import { cut, fitting } from "./bounded.ts";
import { type BoardPlace, elsewhereOf, type Look } from "./look.ts";
import { partOfText } from "./texts.ts";

const filesMax = 500;
const options = ["--no-color", "--no-ext-diff", "--no-textconv", "--find-renames"];

/** The files that a task has changed, each with whether its lock covers it. */
export async function diffOf(place: BoardPlace, look: Look, task: Task): Promise<Diff> {
  const { changed, what } = await changedFiles(place, task);
  const scope = scopeOf(place, task);
  const files = changed.slice(0, filesMax).map(({ path, added, deleted }, at): DiffFile => {
    const isInScope = scope === undefined || scope.entryOf(path) !== undefined;
    return { number: at, path: cut(path, 300), added, deleted, isInScope };
  });
  const elsewhere = changed.length === 0 ? elsewhereOf(place, look, task.key) : null;
  return { what, elsewhere, files: fitting(files), total: changed.length };
}

/** The diff of one file, in parts. Files are named by number: their names may be any bytes. */
export async function diffPart(
  place: BoardPlace,
  task: Task,
  { file, from }: { readonly file: number; readonly from: number },
): Promise<TextPart | undefined> {
  const { changed, range } = await changedFiles(place, task);
  const found = changed[file];
  if (found === undefined) return undefined;
  const paths = [found.before, found.path].filter((path): path is string => path !== undefined);
  const pathspecs = paths.map((path) => `:(literal,top)${path}`);
  const { stdout } = await tryGit(rootOf(place), ["diff", ...options, ...range, "--", ...pathspecs]);
  return partOfText(stdout.toString("utf8"), from);
}

interface Changed {
  readonly path: string;
  readonly before?: string;
  readonly added: number | null;
  readonly deleted: number | null;
}

interface Work {
  readonly range: readonly string[];
  readonly what: string;
  readonly changed: readonly Changed[];
}

/** The tree of a running agent is read again at most this often. */
const keptMs = 3000;
const kept = new WeakMap<BoardPlace, Map<string, { readonly atMs: number; readonly work: Promise<Work> }>>();

function changedFiles(place: BoardPlace, task: Task): Promise<Work> {
  const known = kept.get(place) ?? new Map();
  kept.set(place, known);
  const name = `${task.key} ${task.version}`;
  const found = known.get(name);
  if (found !== undefined && Date.now() - found.atMs < keptMs) return found.work;
  for (const [old, { atMs }] of known) if (Date.now() - atMs >= keptMs) known.delete(old);
  const work = readChanged(place, task);
  known.set(name, { atMs: Date.now(), work });
  return work;
}

async function readChanged(place: BoardPlace, task: Task): Promise<Work> {
  const what =
    task.commit !== null ? "merged" : task.state === "IN_PROGRESS" ? "work in progress" : "handed in";
  const none = { range: [], what, changed: [] };
  const { commonFolder } = place.project;
  if (commonFolder === undefined || (task.attempts === 0 && task.commit === null)) return none;
  const root = rootOf(place);
  await fetchWorkOf({ repository: { root }, config: place.config }, task); // without it, nothing is shown
  const range = await workRange(task, { root, commonFolder });
  const { exit, stdout } = await tryGit(root, ["diff", ...options, "--numstat", "-z", ...range, "--"]);
  return exit === 0 ? { range, what, changed: readNumstat(stdout.toString("utf8")) } : none;
}

/** `ADDED\tDELETED\tPATH\0`, or for a rename `ADDED\tDELETED\t\0BEFORE\0PATH\0`; `-` for binary files. */
function readNumstat(text: string): readonly Changed[] {
  const fields = text.split("\0");
  const changed: Changed[] = [];
  for (let at = 0; at < fields.length; at += 1) {
    const [, added = "", deleted = "", path = ""] =
      /^([\d-]+)\t([\d-]+)\t([\s\S]*)$/.exec(fields[at] ?? "") ?? [];
    if (added === "") continue;
    const counts = {
      added: added === "-" ? null : Number(added),
      deleted: deleted === "-" ? null : Number(deleted),
    };
    if (path !== "") changed.push({ path, ...counts });
    else {
      changed.push({ before: fields[at + 1] ?? "", path: fields[at + 2] ?? "", ...counts });
      at += 2;
    }
  }
  return changed;
}

function scopeOf({ engine }: BoardPlace, { assignment }: Task): Scope | undefined {
  const { place } = engine.world;
  const read = readEntries(assignment?.lock_scope ?? [], place);
  return "entries" in read && read.entries.length > 0 ? new Scope(read.entries, place) : undefined;
}

function rootOf({ project }: BoardPlace): string {
  return project.place.realRoot ?? project.place.root;
}
