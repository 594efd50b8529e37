import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { removeFolder } from "../remove-folder.ts";
import { checkoutsFolder } from "../state-home.ts";
import { GitFault } from "./git-fault.ts";
import { restoreMarked, writeMarks } from "./kept-files.ts";
import { takeSlot } from "./proof-slot.ts";
import { git, gitBytes } from "./run-git.ts";

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
  /** Makes the working tree exactly that of a commit; the id of its tree. */
  show(commit: string): Promise<string>;
  /** The same, without anything that set-ups made. */
  showBare(commit: string): Promise<string>;
  /** What the last set-up here was made from, if it is as it was; what was added to it since is removed. */
  setupKey(): Promise<string | undefined>;
  /** Says that what is there now is the result of a set-up. */
  keepSetup(key: string): Promise<void>;
}

export function openProofCheckout(commonFolder: string): ProofCheckout {
  const slot = takeSlot(join(checkoutsFolder(commonFolder), "proof"));
  const folder = join(slot.folder, "tree");
  const gitFolder = join(folder, ".git");
  const temporary = join(slot.folder, "tmp");
  const keyFile = join(slot.folder, "setup-key");
  // Never found by looking upwards: where this repository is damaged, git would take the next one above for it.
  const env = { GIT_DIR: gitFolder, GIT_WORK_TREE: folder };
  const inside = (words: readonly string[]) => gitBytes(folder, words, { env });
  const untracked = () => inside(["ls-files", "-z", "--others", "--directory"]);

  const make = async () => {
    removeFolder(folder);
    rmSync(keyFile, { force: true });
    const words = ["--quiet", "--shared", "--no-checkout", "--template=", commonFolder, folder];
    await git(slot.folder, ["clone", ...words]);
  };
  const checkOut = async (commit: string, kept: readonly string[]) => {
    rmSync(join(gitFolder, "index.lock"), { force: true }); // ours alone: whoever left it is dead
    await inside(["checkout", "--quiet", "--force", "--detach", commit]);
    await inside(["clean", "-ffdxq", ...kept.flatMap((name) => ["-e", name])]);
    return git(folder, ["rev-parse", "HEAD^{tree}"], { env });
  };
  const show = async (commit: string, kept: readonly string[]) => {
    if (!existsSync(join(gitFolder, "HEAD"))) await make();
    try {
      return await checkOut(commit, kept);
    } catch (error) {
      if (!(error instanceof GitFault)) throw error;
      // Damaged, or of a repository that lies elsewhere by now: nothing in it is worth more than a new one.
      await make();
      return checkOut(commit, kept);
    }
  };
  return {
    folder,
    temporary,
    show: (commit) => show(commit, keptNames),
    async showBare(commit) {
      rmSync(keyFile, { force: true });
      return show(commit, []);
    },
    async setupKey() {
      return existsSync(keyFile)
        ? restoreMarked(keyFile, { folder, untracked: await untracked() })
        : undefined;
    },
    async keepSetup(key) {
      writeMarks(keyFile, key, { folder, untracked: await untracked() });
    },
    [Symbol.dispose]() {
      slot[Symbol.dispose]();
    },
  };
}
