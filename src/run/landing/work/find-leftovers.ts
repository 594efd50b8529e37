import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type KeptRef, needlessRefs } from "../../../core/names/needless-refs.ts";
import { allRefs } from "../../../core/names/ref-names.ts";
import { taskKey } from "../../../core/names/task-name.ts";
import type { Task } from "../../../core/tasks/task.ts";
import { quoted } from "../../../core/text/quoted.ts";
import { readJsonBytes } from "../../../core/text/read-json.ts";
import { field } from "../../../core/values/fields.ts";
import type { Engine } from "../../../engine/change/engine.ts";
import { finishedBefore, overTasks } from "../../../engine/views/finished-work.ts";
import type { Decision } from "../../../ledger/ledger.ts";
import { repositoryFolder } from "../../../workspace/checkouts/checkout.ts";
import { listPool } from "../../../workspace/checkouts/checkout-pool.ts";
import { type ListedCheckout, listCheckouts } from "../../../workspace/checkouts/list-checkouts.ts";
import { emptySlot, listSlots } from "../../../workspace/checkouts/proof-slot.ts";
import { removeCheckouts, staysText } from "../../../workspace/checkouts/remove-checkout.ts";
import { storedSetups } from "../../../workspace/checkouts/setup-store.ts";
import { diskUse } from "../../../workspace/checkouts/walk-tree.ts";
import { asDiskFault } from "../../../workspace/files/disk-fault.ts";
import { removeFolder } from "../../../workspace/files/remove-folder.ts";
import { changeRefs } from "../../../workspace/git/ref-writer.ts";
import { git } from "../../../workspace/git/run-git.ts";
import { outputsBefore } from "../../../workspace/state/check-outputs.ts";
import { abandonedFolders, checkoutsFolder } from "../../../workspace/state/state-home.ts";
import { neededOutputs } from "../evidence/record-proofs.ts";
import { taskLogFile } from "./task-logs.ts";

/** Files, folders or refs of one kind that are no longer needed. */
export interface Leftover {
  readonly what: string;
  readonly count: number;
  /** Null if unknown. */
  readonly bytes: number | null;
  /** Removes them, each for itself. */
  free(): Promise<Freeing>;
}

interface Freeing {
  /** Lines that say what was kept, and where. */
  readonly kept: readonly string[];
  /** What could not be removed. */
  readonly left: readonly Left[];
}

interface Left {
  /** Says which one it is, and why. */
  readonly line: string;
  readonly bytes: number;
}

export interface LeftoverPlace {
  readonly engine: Pick<Engine, "ledger">;
  readonly commonFolder: string;
  readonly stateFolder: string;
  /** Things that were used after this time stay (milliseconds since 1970). */
  readonly before: number;
}

export async function findLeftovers(place: LeftoverPlace): Promise<readonly Leftover[]> {
  const { engine, commonFolder, before } = place;
  const survey = await engine.ledger.survey();
  const finished = finishedBefore(survey, before);
  return [
    folders("checkouts of repositories that no longer exist", abandonedFolders(before)),
    checkoutsOf(commonFolder, overTasks(survey)),
    ...checkPlaces(commonFolder, before),
    files("old outputs of checks", await needlessOutputs(place)),
    files("logs of finished work", logsOf(place, finished)),
    files("designs of finished sessions", designsOf(place, survey.decisions, finished)),
    folders("settings that strayed and were moved aside", asideIn(place)),
    files("calls that were never compared", uncomparedOf(place, overTasks(survey))),
    await refsOf(commonFolder, finished, before),
  ];
}

/** The key of the task that a checkout was made for. */
function keyOf({ checkout }: ListedCheckout): string | undefined {
  if (checkout === undefined) return undefined;
  return taskKey(checkout.session, checkout.task);
}

/** Unmerged content of these checkouts is kept on refs. */
function checkoutsOf(commonFolder: string, over: readonly Task[]): Leftover {
  const keys = new Set(over.map(({ key }) => key));
  const found = listCheckouts(commonFolder).filter((one) => keys.has(keyOf(one) ?? ""));
  return {
    what: "checkouts of tasks that are over",
    count: found.length,
    bytes: sumOf(found.map(({ bytes }) => bytes)),
    free: async () => {
      const checkouts = found.flatMap(({ checkout }) => checkout ?? []);
      const removals = await removeCheckouts(checkouts);
      const kept = removals.flatMap((one) => ("kept" in one ? one.kept : []));
      const left = checkouts.flatMap((checkout, at): Left[] => {
        const removal = removals[at];
        if (removal === undefined || "kept" in removal) return [];
        return [{ line: staysText(checkout, removal.fault), bytes: diskUse(dirname(checkout.folder)) }];
      });
      return { kept: kept.map(({ holds, command }) => `${holds} is kept: ${command}`), left };
    },
  };
}

/** The checkouts in which checks and reviews run, with their installed dependencies; and the download caches. */
function checkPlaces(commonFolder: string, before: number): readonly Leftover[] {
  const folder = checkoutsFolder(commonFolder);
  const slots = ["proof", "reviews"].flatMap((kind) => listSlots(join(folder, kind)));
  const old = slots.filter(({ isInUse, lastUse }) => !isInUse && lastUse < before);
  const paths = old.map((slot) => slot.folder);
  // Every use of a cache changes the mode of its folder, so ctime is the time of the last use.
  const caches = slots.some(({ isInUse }) => isInUse) ? [] : below(below([join(folder, "caches")]));
  const pooled = listPool(commonFolder).filter(({ lastUse }) => lastUse < before);
  return [
    folders(
      "checkouts kept for the next tasks and not used lately",
      pooled.map((one) => one.folder),
    ),
    { ...folders("proof checkouts not used lately", paths), free: each(paths, emptySlot) },
    folders(
      "installed dependencies not used lately",
      storedSetups(commonFolder).flatMap((one) => (one.lastUse < before ? one.folder : [])),
    ),
    folders(
      "caches not used lately",
      caches.filter((cache) => statSync(cache).ctimeMs < before),
    ),
  ];
}

async function needlessOutputs({ engine, stateFolder, before }: LeftoverPlace): Promise<readonly string[]> {
  const old = outputsBefore(stateFolder, before);
  const needed = old.length === 0 ? "" : await neededOutputs(engine);
  return old.filter((path) => !needed.includes(basename(path)));
}

function logsOf({ stateFolder }: LeftoverPlace, finished: readonly Task[]): readonly string[] {
  return finished.map(({ key }) => taskLogFile(stateFolder, key)).filter(existsSync);
}

/** Versions of documents that no decision of an open session refers to. */
function designsOf(
  { stateFolder, before }: LeftoverPlace,
  decisions: readonly Decision[],
  finished: readonly Task[],
): readonly string[] {
  const done = new Set(finished.map(({ key }) => key));
  const needed = JSON.stringify(decisions.filter(({ task }) => !done.has(task)));
  return below([join(stateFolder, "designs")]).filter(
    (path) => !needed.includes(basename(path)) && changedMs(path) < before,
  );
}

function asideIn({ stateFolder, before }: LeftoverPlace): readonly string[] {
  return below([join(stateFolder, "trees")]).filter(
    (path) => basename(path).startsWith("aside-") && changedMs(path) < before,
  );
}

/** Snapshots for calls of tasks that are over, or of agents that were not seen for long: they will not be compared. */
function uncomparedOf({ stateFolder, before }: LeftoverPlace, over: readonly Task[]): readonly string[] {
  const owners = new Set(over.map(({ key }) => `task ${key}`));
  return below([join(stateFolder, "trees", "pending")]).filter((path) => {
    const owner = String(field(readJsonBytes(readFileSync(path)), "owner"));
    return owners.has(owner) || (!owner.startsWith("task ") && changedMs(path) < before);
  });
}

/** The disk use of a file, link or folder. */
function sizeOf(path: string): number {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() ? diskUse(path) : (found?.blocks ?? 0) * 512;
}

/** The ctime, because moving a file changes it too. */
function changedMs(path: string): number {
  return lstatSync(path).ctimeMs;
}

/** Refs of tasks without a checkout. While a checkout exists, its refs say what is new in it. */
async function refsOf(commonFolder: string, finished: readonly Task[], before: number): Promise<Leftover> {
  const folder = repositoryFolder(commonFolder);
  const checkedOut = new Set(listCheckouts(commonFolder).map(keyOf));
  const bare = finished.filter(({ key }) => !checkedOut.has(key));
  const needless = needlessRefs(await readRefs(folder), bare, before);
  return {
    what: "refs of finished work",
    count: needless.length,
    bytes: null,
    free: async () => {
      await changeRefs(
        folder,
        needless.map(({ ref, object }) => ({ ref, to: undefined, from: object })),
      );
      return { kept: [], left: [] };
    },
  };
}

async function readRefs(folder: string): Promise<readonly KeptRef[]> {
  const format = "%(refname) %(objectname) %(committerdate:unix)";
  const text = await git(folder, ["for-each-ref", `--format=${format}`, allRefs]);
  return text.split("\n").flatMap((line): KeptRef[] => {
    const [ref = "", object = "", seconds = ""] = line.split(" ");
    return ref === "" ? [] : [{ ref, object, ms: seconds === "" ? null : Number(seconds) * 1000 }];
  });
}

function folders(what: string, paths: readonly string[]): Leftover {
  return { what, count: paths.length, bytes: sumOf(paths.map(sizeOf)), free: each(paths, removeFolder) };
}

function files(what: string, paths: readonly string[]): Leftover {
  const bytes = sumOf(paths.map((path) => statSync(path).blocks * 512));
  return { what, count: paths.length, bytes, free: each(paths, (path) => rmSync(path, { force: true })) };
}

function each(paths: readonly string[], act: (path: string) => void) {
  return async (): Promise<Freeing> => ({ kept: [], left: paths.flatMap((path) => freeOne(path, act)) });
}

function freeOne(path: string, act: (path: string) => void): readonly Left[] {
  try {
    act(path);
    return [];
  } catch (error) {
    const { message } = asDiskFault(error) ?? (error as Error);
    return [{ line: `${quoted(path, 300)} could not be removed: ${message}`, bytes: sizeOf(path) }];
  }
}

function below(parents: readonly string[]): readonly string[] {
  return parents.flatMap((parent) =>
    existsSync(parent) ? readdirSync(parent).map((name) => join(parent, name)) : [],
  );
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}
