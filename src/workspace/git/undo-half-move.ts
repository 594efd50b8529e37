import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readName, splitAtZero } from "./read-diff.ts";
import { git, gitBytes } from "./run-git.ts";

interface Side {
  readonly mode: string;
  readonly blob: string;
}

interface Changed {
  readonly path: string;
  readonly from: Side | undefined;
  readonly to: Side | undefined;
}

const noBlob = /^0+$/;

/**
 * Git that was stopped in the middle of a fast-forward leaves files and index entries of the new commit under the
 * old one. Those are put back; whatever differs from both commits is a person's, and stays.
 */
export async function undoHalfMove(
  checkout: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly string[]> {
  const changed = await readChanged(checkout, from, to);
  const index = await readIndex(checkout);
  const staged = changed.filter(({ path, from: old, to: now }) => {
    const entry = index.get(path);
    return !same(entry, old) && same(entry, now);
  });
  const written = await findWritten(checkout, changed);
  if (staged.length === 0 && written.length === 0) return [];
  await restoreIndex(checkout, staged);
  const back = written.filter((one) => one.from !== undefined).map(({ path }) => path);
  await git(checkout, ["checkout-index", "--force", "-z", "--stdin"], { input: back.map(ended).join("") });
  for (const { path, from: old } of written) if (old === undefined) rmSync(join(checkout, path));
  const paths = new Set([...staged, ...written].map(({ path }) => path));
  return [`put back ${paths.size} file${paths.size === 1 ? "" : "s"} that git had begun to change`];
}

async function readChanged(checkout: string, from: string, to: string): Promise<readonly Changed[]> {
  const words = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to];
  const fields = splitAtZero(await gitBytes(checkout, words));
  const changed: Changed[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = "", newMode = "", oldBlob = "", newBlob = ""] = String(fields[at]).slice(1).split(" ");
    const { path, utf8 } = readName(fields[at + 1] as Buffer);
    // A name that is not UTF-8 reaches no base: it lies in no scope.
    if (utf8) changed.push({ path, from: side(oldMode, oldBlob), to: side(newMode, newBlob) });
  }
  return changed;
}

function side(mode: string, blob: string): Side | undefined {
  return noBlob.test(blob) ? undefined : { mode, blob };
}

function same(one: Side | undefined, other: Side | undefined): boolean {
  return one?.blob === other?.blob && one?.mode === other?.mode;
}

async function readIndex(checkout: string): Promise<ReadonlyMap<string, Side>> {
  const entries = splitAtZero(await gitBytes(checkout, ["ls-files", "--stage", "-z"]));
  return new Map(
    entries.map((entry) => {
      const tab = entry.indexOf(9);
      const [mode = "", blob = ""] = entry.subarray(0, tab).toString("latin1").split(" ");
      return [readName(entry.subarray(tab + 1)).path, { mode, blob }];
    }),
  );
}

async function restoreIndex(checkout: string, staged: readonly Changed[]): Promise<void> {
  const lines = staged.map(({ path, from }) =>
    ended(`${from?.mode ?? "0"} ${from?.blob ?? "0".repeat(40)}\t${path}`),
  );
  await git(checkout, ["update-index", "-z", "--index-info"], { input: lines.join("") });
}

/** Files that are as the new commit has them, or that git had removed or half written on the way there. */
async function findWritten(checkout: string, changed: readonly Changed[]): Promise<readonly Changed[]> {
  const written: Changed[] = [];
  for (const one of changed) {
    const now = readIfFile(join(checkout, one.path));
    if (now === undefined) {
      if (one.from !== undefined) written.push(one);
      continue;
    }
    if (one.to === undefined) continue;
    const wanted = await gitBytes(checkout, ["cat-file", "blob", one.to.blob]);
    const half =
      one.from !== undefined && now.length < wanted.length && wanted.subarray(0, now.length).equals(now);
    if (!now.equals(wanted) && !half) continue;
    const old =
      one.from === undefined ? undefined : await gitBytes(checkout, ["cat-file", "blob", one.from.blob]);
    if (old === undefined || !now.equals(old)) written.push(one);
  }
  return written;
}

function readIfFile(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

function ended(text: string): string {
  return `${text}\0`;
}
