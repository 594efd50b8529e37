import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { quoted } from "../../core/text/quoted.ts";
import { DiskFault, orDiskFault, shownPath } from "../files/disk-fault.ts";
import type { Project } from "../files/find-project.ts";

const ownMode = 0o700;

/** The folder for Lockstep's own files, whether it exists or not. The same path for every spelling of the root. */
export function stateFolder({ place, commonFolder }: Project): string {
  return commonFolder === undefined
    ? join(place.realRoot ?? place.root, ".lockstep", "state")
    : join(commonFolder, "lockstep");
}

/** Creates the folder if needed. The result is a real folder that only this user can read and write. */
export function openStateFolder(project: Project): string {
  const folder = stateFolder(project);
  if (project.commonFolder === undefined) openShared(dirname(folder));
  else requireGitFolder(project.commonFolder);
  openOwn(folder);
  return folder;
}

export function openStateSubfolder(project: Project, name: string): string {
  if (!/^[a-z][a-z0-9-]*$/.test(name))
    throw new Error(`${quoted(name)} is not a valid name for a state folder`);
  const folder = join(openStateFolder(project), name);
  openOwn(folder);
  return folder;
}

function requireGitFolder(folder: string): void {
  const found = orDiskFault("look at", folder, () => statSync(folder, { throwIfNoEntry: false }));
  if (found !== undefined) return;
  const missing = `the git folder ${shownPath(folder)} does not exist`;
  throw new DiskFault(`${missing}; if the repository was moved, run \`git worktree repair\` in it`);
}

/** `.lockstep` holds the user's files, so its permissions are left alone. */
function openShared(folder: string): void {
  createMissing(folder);
  closeSync(openRealFolder(folder));
}

/** A user who can write here could forge Lockstep's records, so only the owner may. */
function openOwn(folder: string): void {
  const created = createMissing(folder);
  const descriptor = openRealFolder(folder);
  const setMode = (mode: number) =>
    orDiskFault("set the mode of", folder, () => fchmodSync(descriptor, mode & ownMode));
  try {
    if (created) setMode(ownMode); // mkdir applied the umask
    const found = fstatSync(descriptor);
    refuseForeign(folder, found);
    if ((found.mode & 0o077) !== 0) setMode(found.mode);
  } finally {
    closeSync(descriptor);
  }
  orDiskFault("write to", folder, () => accessSync(folder, constants.W_OK | constants.X_OK));
}

function refuseForeign(folder: string, { uid, mode }: Stats): void {
  const ownUid = process.geteuid?.() ?? uid;
  if (uid !== ownUid) {
    const found = `${shownPath(folder)} belongs to another user: its uid is ${uid}, yours ${ownUid}`;
    throw new DiskFault(`${found}; run lockstep as that user, or move the folder away`);
  }
  if ((mode & 0o022) === 0) return;
  const found = `${shownPath(folder)} can be written by other users: its mode is ${(mode & 0o777).toString(8)}`;
  throw new DiskFault(`${found}; check that nothing unexpected is in it, then \`chmod 700\` it`);
}

function createMissing(folder: string): boolean {
  return orDiskFault("create", folder, () => {
    try {
      mkdirSync(folder, { mode: ownMode });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    }
  });
}

function openRealFolder(folder: string): number {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  return orDiskFault("open", folder, () => {
    try {
      return openSync(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code !== "ENOTDIR" && code !== "ELOOP") throw cause;
      const found = `${shownPath(folder)} is a link or a file, but lockstep needs a folder there`;
      throw new DiskFault(`${found}; move it away`, { cause });
    }
  });
}
