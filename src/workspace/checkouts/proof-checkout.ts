import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { removeFolder } from "../files/remove-folder.ts";
import { GitFault } from "../git/git-fault.ts";
import { asEnvironment, exactSettings, isRefused, replaceFilter } from "../git/git-settings.ts";
import { filtersIn } from "../git/known-filters.ts";
import { fillLargeFiles } from "../git/large-files.ts";
import { readName, splitAtZero } from "../git/read-diff.ts";
import { git, gitBytes } from "../git/run-git.ts";
import { fillSubmodules } from "../git/submodules.ts";
import { type BytePath, onDisk, sweepTree, trackedIn } from "../git/sweep-tree.ts";
import { listTree } from "../git/tree-entries.ts";
import { checkoutsFolder } from "../state/state-home.ts";
import { repositoryFolder } from "./checkout.ts";
import { isRefusal, restoreMarked, writeMarks } from "./kept-files.ts";
import { shareObjects } from "./new-repository.ts";
import { takeSlot } from "./proof-slot.ts";

/**
 * What set-ups leave behind and checks need, in whatever folder: kept as long as the set-up's inputs are the same
 * and nobody has touched it since. Checks run code that agents wrote, and that must not reach the checks of others.
 */
const keptNames = ["node_modules", ".venv", "vendor", "target", ".yarn", ".pnp.cjs", ".pnp.loader.mjs"];

/**
 * A checkout that only checks run in. It is used again, because installing dependencies for each check would
 * cost more than the checks; what belongs to no commit and to no set-up is removed each time.
 */
export interface ProofCheckout extends Disposable {
  readonly folder: string;
  /** Where to put a private folder for temporary files. */
  readonly temporary: string;
  /** Makes the working tree exactly that of a commit, and what the last set-up left; false if that had to go too. */
  show(commit: string): Promise<boolean>;
  /** The same, without anything that set-ups made. */
  showBare(commit: string): Promise<void>;
  /** What the last set-up here was made from, if it is as it was; what was added to it since is removed. */
  setupKey(): string | undefined;
  /** Says that what was shown last is the result of a set-up. */
  keepSetup(key: string): void;
}

/** `say` gets what a person should know, once. */
export function openProofCheckout(
  commonFolder: string,
  say: (line: string) => void = () => {},
): ProofCheckout {
  const slot = takeSlot(join(checkoutsFolder(commonFolder), "proof"));
  const folder = join(slot.folder, "tree");
  const gitFolder = join(folder, ".git");
  const temporary = join(slot.folder, "tmp");
  const keyFile = join(slot.folder, "setup-key");
  const sayOnce = onceFor(say);
  let left: readonly BytePath[] = [];

  const make = async () => {
    removeFolder(folder);
    rmSync(keyFile, { force: true });
    const words = ["--quiet", "--shared", "--no-checkout", "--template=", commonFolder, folder];
    await git(slot.folder, ["clone", ...words]);
    shareObjects(gitFolder, commonFolder); // git itself does not for a shallow repository
  };
  const checkOut = async (commit: string, kept: readonly string[]) => {
    rmSync(join(gitFolder, "index.lock"), { force: true }); // ours alone: whoever left it is dead
    const { env, refused } = await proofGit(folder, gitFolder);
    await git(folder, ["checkout", "--quiet", "--force", "--detach", commit], { env });
    const tree = await listTree(repositoryFolder(commonFolder), commit);
    const tracked = trackedIn(tree);
    left = sweepTree(folder, tracked, kept);
    const filtered = await filteredPaths(folder, { env, modes: tracked.modes });
    for (const name of refused.map((one) => one.slice("filter.".length)))
      sayOnce(
        filtered.get(name),
        (files) => `git's filter \`${name}\` does not run for checks: they see ${files} as committed`,
      );
    const pointers = fillLargeFiles(commonFolder, folder, filtered.get("lfs") ?? []);
    sayOnce(
      pointers,
      (files) =>
        `the content of ${files} is not here, and checks see git-lfs's pointer: run \`git lfs pull\``,
    );
    const index = join(slot.folder, "submodule-index");
    const empty = await fillSubmodules({ gitFolder: commonFolder, commit, tree, folder, index });
    sayOnce(
      empty,
      (paths) => `submodule ${paths} is empty for checks: run \`git submodule update --init --recursive\``,
    );
  };
  const show = async (commit: string, kept: readonly string[]) => {
    if (!existsSync(join(gitFolder, "HEAD"))) await make();
    try {
      await checkOut(commit, kept);
      return true;
    } catch (error) {
      if (!(error instanceof GitFault) && !isRefusal(error)) throw error;
      // Damaged, closed, or of a repository that lies elsewhere by now: nothing in it is worth more than a new one.
      await make();
      await checkOut(commit, kept);
      return false;
    }
  };
  return {
    folder,
    temporary,
    show: (commit) => show(commit, keptNames),
    async showBare(commit) {
      rmSync(keyFile, { force: true });
      await show(commit, []);
    },
    setupKey: () => (existsSync(keyFile) ? restoreMarked(keyFile, { folder, paths: left }) : undefined),
    keepSetup: (key) => writeMarks(keyFile, key, { folder, paths: left }),
    [Symbol.dispose]() {
      slot[Symbol.dispose]();
    },
  };
}

/** The environment of git in a proof checkout, and the filters that are missing there: agents wrote what is shown. */
async function proofGit(folder: string, gitFolder: string) {
  // Never found by looking upwards: where this repository is damaged, git would take the next one above for it.
  const place = { GIT_DIR: gitFolder, GIT_WORK_TREE: folder };
  const filters = await filtersIn(folder, { env: place });
  const settings = [...exactSettings, ...filters.flatMap((name) => replaceFilter(name, "off"))];
  return { env: { ...place, ...asEnvironment(settings) }, refused: filters.filter(isRefused) };
}

/** By the name of their filter. */
async function filteredPaths(
  folder: string,
  { env, modes }: { env: Readonly<Record<string, string>>; modes: ReadonlyMap<BytePath, string> },
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  const paths = [...modes.keys()];
  const namesFilter = (path: BytePath) =>
    /(?:^|\/)\.gitattributes$/.test(path) &&
    modes.get(path)?.startsWith("100") === true &&
    readFileSync(onDisk(folder, path)).includes("filter");
  if (!paths.some(namesFilter)) return found;
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1");
  const words = ["check-attr", "-z", "--stdin", "filter"];
  const fields = splitAtZero(await gitBytes(folder, words, { env, input })).map((one) => readName(one).path);
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = "", , filter = ""] = fields.slice(at, at + 3);
    if (filter !== "unspecified") found.set(filter, [...(found.get(filter) ?? []), path]);
  }
  return found;
}

/** Says something about files, however often they are shown. */
function onceFor(say: (line: string) => void) {
  const said = new Set<string>();
  return (files: readonly string[] = [], line: (files: string) => string) => {
    const more = files.length > 1 ? ` and ${files.length - 1} more` : "";
    const text = line(`${files[0]}${more}`);
    if (files.length === 0 || said.has(text)) return;
    said.add(text);
    say(text);
  };
}
