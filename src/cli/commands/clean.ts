import { join } from "node:path";
import { findLeftovers } from "../../run/landing/work/find-leftovers.ts";
import { takeHostLock } from "../../server/host-lock.ts";
import { runAtWork } from "../../server/run-at-work.ts";
import { repositoryFolder } from "../../workspace/checkouts/checkout.ts";
import { countLoose } from "../../workspace/checkouts/pack-repository.ts";
import { diskUse } from "../../workspace/checkouts/walk-tree.ts";
import { git } from "../../workspace/git/run-git.ts";
import { hasLedger } from "../../workspace/state/has-ledger.ts";
import { openStateFolder, stateFolder } from "../../workspace/state/state-folder.ts";
import { megabytes } from "../look/disk.ts";
import { openEngine } from "../open/open-engine.ts";
import { CommandFault } from "../output/command-fault.ts";
import { showReading } from "../output/reading.ts";
import { counted, printable, table } from "../output/table.ts";

interface CleanOptions {
  readonly dryRun?: boolean;
  readonly older?: string;
  readonly json?: boolean;
}

const dayMs = 24 * 60 * 60_000;

interface Freed {
  readonly what: string;
  readonly count: number;
  /** Null if unknown. */
  readonly bytes: number | null;
}

/** What was freed, or would be with `--dry-run`. */
interface Cleaned {
  readonly dry_run: boolean;
  readonly older_days: number;
  readonly freed: readonly Freed[];
  readonly bytes: number;
  /** Unmerged content of removed checkouts, which is kept on refs. */
  readonly kept: readonly string[];
  /** What could not be removed, with the reason. */
  readonly left: readonly string[];
}

/** Deletes what is no longer needed. Refused while a run is active. */
export function cleanCommand({ dryRun = false, older = "30", json }: CleanOptions): Promise<number> {
  const exit = ({ left }: Cleaned) => (left.length === 0 ? 0 : 1);
  return showReading<Cleaned>({ json, text: cleanText, exit }, async () => {
    const days = daysOf(older);
    using opened = await openEngine();
    const { engine, project } = opened;
    const { commonFolder } = project;
    if (commonFolder === undefined)
      throw new CommandFault("R-IN-001", "this is not a git repository: there is nothing to clean");
    using _alone = hasLedger(project) ? takeAlone(openStateFolder(project)) : undefined;
    const before = engine.clock.now().wallMs - days * dayMs;
    const place = { engine, commonFolder, stateFolder: stateFolder(project), before };
    const found = (await findLeftovers(place)).filter(({ count }) => count > 0);
    const rows: Freed[] = [];
    const kept: string[] = [];
    const left: string[] = [];
    for (const { what, count, bytes, free } of found) {
      const freeing = dryRun ? { kept: [], left: [] } : await free();
      kept.push(...freeing.kept);
      left.push(...freeing.left.map(({ line }) => line));
      const leftBytes = freeing.left.reduce((sum, one) => sum + one.bytes, 0);
      const done = count - freeing.left.length;
      if (done > 0) rows.push({ what, count: done, bytes: bytes && Math.max(0, bytes - leftBytes) });
    }
    const freed = [...rows, ...(await packObjects(commonFolder, { dryRun, isNeeded: found.length > 0 }))];
    const bytes = freed.reduce((sum, row) => sum + (row.bytes ?? 0), 0);
    return { dry_run: dryRun, older_days: days, freed, bytes, kept, left };
  });
}

function daysOf(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new CommandFault("R-IN-001", `--older takes a whole number of days, not \`${printable(text)}\``);
}

/** Holds the lock that keeps a run from starting. */
function takeAlone(folder: string): Disposable {
  const lock = takeHostLock(folder, "host");
  if (lock !== undefined) return lock;
  const pid = runAtWork(folder)?.pid ?? "?";
  throw new CommandFault(
    "R-ST-001",
    `a run is active (PID ${pid}) and may need these files: run \`lockstep clean\` after it has ended`,
  );
}

/** Keeps commits in reflogs and objects of the last two weeks, which a person or a running git may still need. */
const collecting = [
  "gc.reflogExpire=never",
  "gc.reflogExpireUnreachable=never",
  "gc.pruneExpire=2.weeks.ago",
];

/** Fewer loose objects are not worth a repack. */
const looseMax = 100;

/** Runs `git gc`, which also removes objects of deleted refs. The freed size is only known afterwards. */
async function packObjects(
  commonFolder: string,
  { dryRun, isNeeded }: { readonly dryRun: boolean; readonly isNeeded: boolean },
): Promise<readonly Freed[]> {
  const count = countLoose(commonFolder);
  if (count <= looseMax && !isNeeded) return [];
  const what = "git objects to be packed";
  if (dryRun) return [{ what, count, bytes: null }];
  const objects = join(commonFolder, "objects");
  const before = diskUse(objects);
  await git(repositoryFolder(commonFolder), [...collecting.flatMap((one) => ["-c", one]), "gc", "--quiet"]);
  return [{ what, count, bytes: Math.max(0, before - diskUse(objects)) }];
}

function cleanText({ dry_run, older_days, freed, bytes, kept, left }: Cleaned): string {
  if (freed.length === 0 && left.length === 0) return "nothing to clean\n";
  const rows = freed.map((row) => [
    row.what,
    String(row.count),
    row.bytes === null ? "-" : megabytes(row.bytes),
  ]);
  const used = older_days === 0 ? "" : ` or was used in the last ${counted(older_days, "day")}`;
  const age = `everything that belongs to open work${used} is kept`;
  return [
    table(["WHAT", "COUNT", "SIZE"], rows),
    ...[...kept, ...left].map((line) => `${printable(line)}\n`),
    `\n${dry_run ? "would free" : "freed"} ${megabytes(bytes)}; ${age}\n`,
  ].join("");
}
