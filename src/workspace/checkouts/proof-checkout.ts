import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeAnew } from "../files/make-anew.ts";
import { removeFolder } from "../files/remove-folder.ts";
import { type BytePath, onDisk } from "../git/byte-path.ts";
import { GitFault } from "../git/git-fault.ts";
import { asEnvironment, exactSettings, isRefused, replaceFilter, type Setting } from "../git/git-settings.ts";
import { filtersIn } from "../git/known-settings.ts";
import { fillLargeFiles } from "../git/large-files.ts";
import { readName, splitAtZero } from "../git/read-diff.ts";
import { git, gitBytes } from "../git/run-git.ts";
import { fillSubmodules } from "../git/submodules.ts";
import { sweepTree, trackedIn } from "../git/sweep-tree.ts";
import { listTree } from "../git/tree-entries.ts";
import { checkoutsFolder } from "../state/state-home.ts";
import { repositoryFolder } from "./checkout.ts";
import { isRefusal, markMoved, restoreMarked, writeMarks } from "./kept-files.ts";
import { shareObjects } from "./new-repository.ts";
import { takeSlot } from "./proof-slot.ts";

/**
 * Names that setups create and checks need, in any folder. They are kept as long as the setup's inputs are the same
 * and no check has changed them: checks run code of agents, which must not affect other checks.
 */
const keptNames = ["node_modules", ".venv", "vendor", "target", ".yarn", ".pnp.cjs", ".pnp.loader.mjs"];

/**
 * A checkout that only checks run in. It is reused, because installing dependencies for each check would cost more than
 * the checks. Files that belong neither to the commit nor to the setup are removed each time.
 */
export interface ProofCheckout extends Disposable {
  readonly folder: string;
  /** The place for a private temporary folder. */
  readonly temporary: string;
  /** False if the last `show` could not fill a submodule or a large file, or had to leave out a filter. */
  readonly isWhole: boolean;
  /** Checks out a commit exactly, plus the files of the last setup. False if those had to be removed too. */
  show(commit: string): Promise<boolean>;
  /** The same without the files of setups. */
  showBare(commit: string): Promise<void>;
  /** The files of the last setup that the last `show` found. */
  setupFiles(): readonly BytePath[];
  /** The key of the last setup, if the last `show` found its files unchanged. It removed files that were added. */
  setupKey(): string | undefined;
  /** Records that the current files are the result of a setup. */
  keepSetup(key: string): void;
}

function slotsFolder(commonFolder: string): string {
  return join(checkoutsFolder(commonFolder), "proof");
}

/** Contains how long the last new checkout took. */
function msFile(commonFolder: string): string {
  return join(checkoutsFolder(commonFolder), "proof-checkout-ms");
}

/** How long the checkout after this many probably takes to make; 0 if it exists or nothing is known. */
export function msForNextCheckout(commonFolder: string, opened: number): number {
  const isMade = existsSync(join(slotsFolder(commonFolder), String(opened), "tree"));
  const file = msFile(commonFolder);
  return isMade || !existsSync(file) ? 0 : Number(readFileSync(file, "utf8"));
}

/** `say` gets messages for the user, each once. */
export function openProofCheckout(
  commonFolder: string,
  say: (line: string) => void = () => {},
): ProofCheckout {
  const slot = takeSlot(slotsFolder(commonFolder));
  const folder = join(slot.folder, "tree");
  const gitFolder = join(folder, ".git");
  const temporary = join(slot.folder, "tmp");
  const keyFile = join(slot.folder, "setup-key");
  const writtenFile = join(slot.folder, "written");
  const sayOnce = onceFor(say);
  let left: readonly BytePath[] = [];
  let isWhole = true;
  let setupKey: string | undefined;

  const files = { commonFolder, slot: slot.folder, folder, gitFolder, keyFile, writtenFile };
  const make = () => makeTree(files);
  const checkOut = async (commit: string, kept: readonly string[]) => {
    rmSync(join(gitFolder, "index.lock"), { force: true }); // this process owns the slot, so the lock is stale
    const { env, refused } = await proofGit(folder, gitFolder);
    const tree = await listTree(repositoryFolder(commonFolder), commit);
    const tracked = trackedIn(tree);
    const cleaned = cleanTree(files, tracked, kept); // before git writes files, which would inherit permissions
    left = cleaned.kept;
    setupKey = cleaned.setupKey;
    await git(folder, ["checkout", "--quiet", "--force", "--detach", commit], { env });
    const place = { commonFolder, slot: slot.folder, folder };
    isWhole = await fillFiles({ ...place, commit, tree, tracked, env, refused, sayOnce });
    noteWritten(writtenFile);
  };
  const show = async (commit: string, kept: readonly string[]) => {
    removeHalf(slot.folder);
    if (!existsSync(join(gitFolder, "HEAD")) || !existsSync(writtenFile)) {
      const startMs = performance.now();
      await make();
      await checkOut(commit, kept);
      writeFileSync(msFile(commonFolder), String(Math.round(performance.now() - startMs)), { mode: 0o600 });
      return true;
    }
    try {
      await checkOut(commit, kept);
      return true;
    } catch (error) {
      if (!(error instanceof GitFault) && !isRefusal(error)) throw error;
      // The checkout is damaged, unreadable, or its repository was moved: create it again.
      await make();
      await checkOut(commit, kept);
      return false;
    }
  };
  return {
    folder,
    temporary,
    get isWhole() {
      return isWhole;
    },
    show: (commit) => show(commit, keptNames),
    async showBare(commit) {
      rmSync(keyFile, { force: true });
      await show(commit, []);
    },
    setupFiles: () => left,
    setupKey: () => setupKey,
    keepSetup: (key) => writeMarks(keyFile, key, { folder, paths: left }),
    [Symbol.dispose]() {
      slot[Symbol.dispose]();
    },
  };
}

interface ProofFiles {
  readonly commonFolder: string;
  readonly slot: string;
  readonly folder: string;
  readonly gitFolder: string;
  readonly keyFile: string;
  readonly writtenFile: string;
}

async function makeTree(files: ProofFiles): Promise<void> {
  const { commonFolder, slot, folder, gitFolder, keyFile, writtenFile } = files;
  removeFolder(folder);
  rmSync(keyFile, { force: true });
  rmSync(writtenFile, { force: true });
  const words = ["--quiet", "--shared", "--no-checkout", "--template=", commonFolder, folder];
  await git(slot, ["clone", ...words]);
  shareObjects(gitFolder, commonFolder); // git does not share the objects of a shallow repository
  noteWritten(writtenFile);
}

/** Removes what belongs neither to the commit nor to the setup, and makes anew the folders that a check has changed. */
function cleanTree(
  { folder, keyFile, writtenFile }: ProofFiles,
  tracked: ReturnType<typeof trackedIn>,
  names: readonly string[],
): { readonly kept: readonly BytePath[]; readonly setupKey: string | undefined } {
  const writtenMs = readWritten(writtenFile);
  const { kept, changed } = sweepTree(folder, tracked, { keptNames: names, writtenMs });
  // The files of the setup are compared before anything is moved, which changes their times.
  const restored = existsSync(keyFile) ? restoreMarked(keyFile, { folder, paths: kept }) : undefined;
  const anew = new Set([...changed, ...(restored?.changed ?? [])]);
  for (const path of anew) makeAnew(path === "" ? Buffer.from(folder) : onDisk(folder, path));
  if (restored !== undefined) markMoved(keyFile, restored, { folder, anew });
  return { kept, setupKey: restored?.key };
}

/** Removes what a process has left that was ended while it made the folder of all files anew. */
function removeHalf(slot: string): void {
  for (const name of readdirSync(slot)) if (name.startsWith("tree.")) removeFolder(join(slot, name));
}

/** Records that Lockstep has written everything, and that no check has run since. */
function noteWritten(file: string): void {
  writeFileSync(file, "", { mode: 0o600 });
  // In the file, because its own time changes again if anybody touches it.
  writeFileSync(file, `${process.umask()} ${statSync(file).ctimeMs}`);
}

/** When that was; 0 if that is unknown, or if the files would get other permissions now. A part of it is earlier. */
function readWritten(file: string): number {
  const [umask, ms = 0] = readFileSync(file, "utf8").split(" ").map(Number);
  return umask === process.umask() && ms > 0 ? ms : 0;
}

interface Filling {
  readonly commonFolder: string;
  readonly slot: string;
  readonly folder: string;
  readonly commit: string;
  readonly tree: Awaited<ReturnType<typeof listTree>>;
  readonly tracked: ReturnType<typeof trackedIn>;
  readonly env: Readonly<Record<string, string>>;
  readonly refused: readonly string[];
  readonly sayOnce: ReturnType<typeof onceFor>;
}

/** Fills what git leaves to filters and to submodules, and says what checks do not see. True if that is nothing. */
async function fillFiles(filling: Filling): Promise<boolean> {
  const { commonFolder, slot, folder, commit, tree, tracked, env, refused, sayOnce } = filling;
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
      `the content of ${files} was not fetched, so checks see the git-lfs pointer: run \`git lfs pull\``,
  );
  const index = join(slot, "submodule-index");
  const empty = await fillSubmodules({ gitFolder: commonFolder, commit, tree, folder, index });
  sayOnce(
    empty,
    (paths) => `submodule ${paths} is empty for checks: run \`git submodule update --init --recursive\``,
  );
  const isFiltered = (name: string) => filtered.has(name.slice("filter.".length));
  return pointers.length + empty.length === 0 && !refused.some(isFiltered);
}

/** The environment of git in a proof checkout, and the filters that do not run there on agents' files. */
async function proofGit(folder: string, gitFolder: string) {
  // Explicit, because git would use a repository further up if this one is damaged.
  const place = { GIT_DIR: gitFolder, GIT_WORK_TREE: folder };
  const filters = await filtersIn(folder, { env: place });
  // Files that a check changed are gone when git looks. Those that were only moved need not be written again.
  const settings: Setting[] = [
    ...exactSettings,
    ["core.trustctime", "false"],
    ...filters.flatMap((name) => replaceFilter(name, "off")),
  ];
  return { env: { ...place, ...asEnvironment(settings) }, refused: filters.filter(isRefused) };
}

/** The paths with a filter, by its name. */
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

/** Reports each message once. */
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
