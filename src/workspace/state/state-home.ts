import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { orDiskFault } from "../files/disk-fault.ts";
import type { Project } from "../files/find-project.ts";

const otherHome = "set XDG_STATE_HOME to a folder that you can write";

/** The file in a folder of checkouts that names their repository. */
const ownerFile = "repository";

/** The folder for a repository's checkouts. It is outside the repository, or tests could find the repository's packages. */
export function checkoutsFolder(commonFolder: string): string {
  const folder = checkoutsPath(commonFolder);
  orDiskFault("create", folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }), otherHome);
  orDiskFault("write to", folder, () => accessSync(folder, constants.W_OK | constants.X_OK), otherHome);
  const owner = join(folder, ownerFile);
  if (!existsSync(owner)) writeFileSync(owner, `${commonFolder}\n`, { mode: 0o600 });
  return folder;
}

/** The same path, but nothing is created. */
export function checkoutsPath(commonFolder: string): string {
  const name = basename(commonFolder) === ".git" ? basename(dirname(commonFolder)) : basename(commonFolder);
  const id = createHash("sha256").update(commonFolder).digest("hex").slice(0, 12);
  return join(stateHome(), `${name.replace(/[^A-Za-z0-9._-]/g, "_")}-${id}`);
}

/** Where copies of the ledger's head lie: who restores an older git folder does not restore them with it. */
export function headsFolder({ place, commonFolder }: Project) {
  const owner = commonFolder ?? place.realRoot ?? place.root;
  const path = join(checkoutsPath(owner), "heads");
  const create = () =>
    void mkdirSync(join(checkoutsFolder(owner), "heads"), { recursive: true, mode: 0o700 });
  return { path, create };
}

export function stateHome(): string {
  const home = process.env.XDG_STATE_HOME || join(homedir(), ".local", "state");
  return join(home, "lockstep");
}

/** The folders of deleted repositories in which nothing was used since a time. */
export function abandonedFolders(ms: number): readonly string[] {
  const home = stateHome();
  const names = existsSync(home) ? readdirSync(home) : [];
  return names.map((name) => join(home, name)).filter((folder) => isAbandoned(folder, ms));
}

/** A folder whose name does not match its repository was moved by hand or is not ours: it stays. */
function isAbandoned(folder: string, ms: number): boolean {
  const owner = ownerOf(folder);
  return owner !== undefined && checkoutsPath(owner) === folder && !existsSync(owner) && lastUse(folder) < ms;
}

/** Folders of older versions have no owner file; the checkouts in them name the repository. */
function ownerOf(folder: string): string | undefined {
  const said = readText(join(folder, ownerFile));
  if (said !== undefined) return said.trimEnd();
  const slots = ["attempts", "proof"].flatMap((kind) => below(join(folder, kind)));
  const shared = slots.map((slot) => readText(join(slot, "tree", ".git", "objects", "info", "alternates")));
  return shared.find((text) => text !== undefined)?.replace(/\/objects\n?$/, "");
}

function lastUse(folder: string): number {
  const slots = below(folder).flatMap((kind) => [kind, ...below(kind)]);
  return Math.max(
    ...[folder, ...slots].map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0),
  );
}

function below(folder: string): readonly string[] {
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

function readText(file: string): string | undefined {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true
    ? readFileSync(file, "utf8")
    : undefined;
}
