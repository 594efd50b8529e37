import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { identityOf, isAlive } from "../process-identity.ts";
import { checkoutsFolder } from "../state-home.ts";
import { git } from "./run-git.ts";

/**
 * What set-ups leave behind and checks need: kept as long as the set-up's inputs are the same and nobody has
 * touched it since. Checks run code that agents wrote, and that must not reach the checks of others.
 */
const keptFolders = ["node_modules", ".venv", "vendor/bundle", "target"];
const slotsMax = 64;

/**
 * A checkout that only checks run in. It is used again, because installing dependencies for each check would
 * cost more than the checks; what belongs to no commit and to no set-up is removed each time.
 */
export interface ProofCheckout extends Disposable {
  readonly folder: string;
  /** Makes the working tree exactly that of a commit; the id of its tree. */
  show(commit: string): Promise<string>;
  /** Removes everything that is not in the commit, what set-ups made too. */
  scrub(): Promise<void>;
  /** What the last set-up here was made from. */
  setupKey: string | undefined;
}

export async function openProofCheckout(commonFolder: string): Promise<ProofCheckout> {
  const { slot, release } = takeSlot(join(checkoutsFolder(commonFolder), "proof"));
  const folder = join(slot, "tree");
  const keyFile = join(slot, "setup-key");
  try {
    if (!existsSync(join(folder, ".git", "HEAD"))) {
      rmSync(folder, { recursive: true, force: true });
      await git(slot, ["clone", "--quiet", "--shared", "--no-checkout", commonFolder, folder]);
    }
    rmSync(join(folder, ".git", "index.lock"), { force: true }); // ours alone: whoever left it is dead
  } catch (error) {
    release();
    throw error;
  }
  return {
    folder,
    show: (commit) => show(folder, commit),
    scrub: async () => {
      await git(folder, ["clean", "-ffdxq"]);
      rmSync(keyFile, { force: true });
    },
    get setupKey() {
      if (!existsSync(keyFile)) return undefined;
      const [key, seal] = readFileSync(keyFile, "utf8").split("\n");
      return seal === sealOf(folder) ? key : undefined;
    },
    set setupKey(key) {
      writeFileSync(keyFile, `${key ?? ""}\n${sealOf(folder)}`);
    },
    [Symbol.dispose]: release,
  };
}

async function show(folder: string, commit: string): Promise<string> {
  await git(folder, ["checkout", "--quiet", "--force", "--detach", commit]);
  await git(folder, ["clean", "-ffdxq", ...keptFolders.flatMap((name) => ["-e", name])]);
  return git(folder, ["rev-parse", "HEAD^{tree}"]);
}

/** Changes with every change below: nobody can set the time at which the system took note of one. */
function sealOf(folder: string): string {
  const hash = createHash("sha256");
  const open = keptFolders.map((name) => join(folder, name));
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) continue;
    hash.update(`${path}\0${found.ino}\0${found.ctimeNs}\n`);
    if (found.isDirectory()) for (const name of readdirSync(path).sort()) open.push(join(path, name));
  }
  return hash.digest("hex");
}

/** One user at a time for each; a slot whose user died is free. */
function takeSlot(parent: string): { slot: string; release: () => void } {
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  for (let number = 0; number < slotsMax; number += 1) {
    const slot = join(parent, String(number));
    mkdirSync(slot, { recursive: true, mode: 0o700 });
    const lock = join(slot, "user.json");
    const held = readHolder(lock);
    if (held !== undefined && isAlive(held)) continue;
    if (held !== undefined) rmSync(lock, { force: true });
    try {
      writeFileSync(lock, JSON.stringify(identityOf(process.pid)), { flag: "wx", mode: 0o600 });
      return { slot, release: () => rmSync(lock, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  throw new Error(
    `all ${slotsMax} places for checks are in use: see ${parent} (${readdirSync(parent).length})`,
  );
}

function readHolder(lock: string) {
  try {
    return JSON.parse(readFileSync(lock, "utf8"));
  } catch {
    return undefined; // nobody, or a half-written line of somebody who died
  }
}
