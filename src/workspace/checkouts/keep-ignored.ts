import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { refsOf } from "../../core/names/ref-names.ts";
import { quoted } from "../../core/text/quoted.ts";
import { asBytes, type BytePath, shown } from "../git/byte-path.ts";
import { commitTree } from "../git/commit-writer.ts";
import { GitFault } from "../git/git-fault.ts";
import { splitAtZero } from "../git/read-diff.ts";
import { git, gitBytes } from "../git/run-git.ts";
import { listTree } from "../git/tree-entries.ts";
import type { KeptRef } from "./attempt-refs.ts";
import { type Checkout, CheckoutFault, repositoryFolder } from "./checkout.ts";
import { moveKeptRef } from "./collect-work.ts";
import { digestAt, lookAtCopied } from "./copied-files.ts";
import {
  isInGit,
  repositoriesAmong,
  stageGitFolders,
  unstagedIn,
  updateIndex,
} from "./nested-repositories.ts";
import { ownGit } from "./own-git.ts";
import { ignoredOf, nestedIn, type Unchanged } from "./snapshot-tree.ts";
import { closedText, isOutput, liesBehindLink, sizeAt, walkTree } from "./walk-tree.ts";

type Own = Awaited<ReturnType<typeof ownGit>>;

const ignoredBytesMax = 64 * 1024 * 1024;

/**
 * Keeps the files that are in no commit: excluded files, and ignored files that tools do not create. Such files may
 * contain secrets, so their commit is not connected to any history that could be pushed. Returns true if something new
 * was kept.
 */
export async function keepIgnored(
  checkout: Checkout,
  {
    made,
    exclude,
    unchanged,
  }: {
    readonly made: readonly KeptRef[];
    readonly exclude: readonly string[];
    readonly unchanged: Unchanged | undefined;
  },
): Promise<boolean> {
  const paths = await findIgnored(checkout, exclude, unchanged);
  if (paths.length === 0) return false;
  refuseTooMuch(checkout.folder, paths);
  const index = join(dirname(checkout.folder), "ignored-index");
  rmSync(index, { force: true });
  try {
    const { env } = await ownGit(checkout, { index, filters: "off" });
    const plain = paths.filter((path) => !isInGit(path));
    const failed = await updateIndex(checkout.folder, ["--add"], { paths: plain, own: { env } });
    if (failed !== undefined) throw new GitFault(["update-index"], { exit: 1, stderr: failed });
    await stageGitFolders(checkout.folder, paths.filter(isInGit), { env });
    const tree = await git(checkout.folder, ["write-tree"], { env });
    const { ignored: ref } = refsOf(checkout);
    const before = made.find((each) => each.ref === ref);
    if (before?.tree === tree) return false;
    const parents = before === undefined ? [] : [before.object];
    const subject = `${checkout.task}: files in no commit, attempt ${checkout.attempt}`;
    await moveKeptRef(
      checkout.commonFolder,
      ref,
      await commitTree(repositoryFolder(checkout.commonFolder), { tree, parents, subject }),
    );
    return true;
  } finally {
    rmSync(index, { force: true });
  }
}

async function findIgnored(
  checkout: Checkout,
  exclude: readonly string[],
  unchanged: Unchanged | undefined,
): Promise<BytePath[]> {
  const { folder, included } = checkout;
  const own = await ownGit(checkout);
  const listed = unchanged?.ignored ?? (await listIgnored(folder, own));
  const ignored = listed.map((path) => path.replace(/\/$/, "")).filter((path) => !isOutput(path));
  const further = [...exclude, ...Object.keys(included)]
    .filter((path) => !liesBehindLink(folder, path))
    .map(asBytes);
  const files = new Set([...ignored, ...further].flatMap((path) => filesAt(folder, path)));
  const repositories =
    unchanged === undefined
      ? await nestedIn(folder, own)
      : repositoriesAmong(folder, await pathsIn(checkout, unchanged));
  for (const nested of repositories)
    for (const path of await unstagedIn(folder, nested, (paths) => ignoredOf(folder, paths, own)))
      files.add(path);
  for (const [path, digest] of Object.entries(included))
    if (files.has(asBytes(path)) && digestAt(folder, path) === digest) files.delete(asBytes(path));
  for (const path of lookAtCopied(checkout).still) files.delete(asBytes(path));
  return [...files];
}

async function listIgnored(folder: string, own: Own): Promise<readonly BytePath[]> {
  const words = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"];
  return splitAtZero(await gitBytes(folder, words, own)).map((path) => path.toString("latin1"));
}

async function pathsIn({ commonFolder }: Checkout, { tree }: Unchanged): Promise<Iterable<BytePath>> {
  return (await listTree(repositoryFolder(commonFolder), tree)).keys();
}

/** The files and links at and below a path. A folder that cannot be read is refused. */
function filesAt(folder: string, start: BytePath): BytePath[] {
  const found = sizeAt(folder, start);
  if (found === undefined) return [];
  if (!found.isDirectory()) return found.isFile() || found.isSymbolicLink() ? [start] : [];
  const files: BytePath[] = [];
  walkTree(folder, start, {
    enter: (path) => isInGit(path) || !isOutput(path),
    entry: (path, entry) => {
      if (entry.isFile() || entry.isSymbolicLink()) files.push(path);
    },
    closed: (path, why) => {
      throw new CheckoutFault(closedText(shown(path), why));
    },
  });
  return files;
}

function refuseTooMuch(folder: string, paths: readonly BytePath[]): void {
  const sizes = paths.map((path) => ({ path, bytes: sizeAt(folder, path)?.size ?? 0 }));
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= ignoredBytesMax) return;
  const [largest] = sizes.sort((one, other) => other.bytes - one.bytes);
  const inMebibytes = (bytes: number) => `${Math.ceil(bytes / 1024 / 1024)} MiB`;
  const why = `its ignored files take ${inMebibytes(total)}, the limit is ${inMebibytes(ignoredBytesMax)}`;
  const remedy = `move away or delete what is not needed, such as ${quoted(shown(largest?.path ?? ""))}`;
  throw new CheckoutFault(`the checkout ${quoted(folder, 300)} cannot be kept: ${why}; ${remedy}`);
}
