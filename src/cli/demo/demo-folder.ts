import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ProcessIdentity } from "../../core/leases/process-identity.ts";
import { removeFolder } from "../../workspace/files/remove-folder.ts";
import { git } from "../../workspace/git/run-git.ts";
import { identityOf, isAlive } from "../../workspace/process/process-identity.ts";

const prefix = "lockstep-demo-";
/** Marks a folder as a demo's; only folders with this file are removed. */
const marker = "demo.json";

/** Creates a folder that is kept for inspection, and removes those of earlier demos. */
export function openDemoFolder(): string {
  const all = realpathSync(tmpdir());
  for (const name of readdirSync(all))
    if (name.startsWith(prefix) && isForgotten(join(all, name))) removeFolder(join(all, name));
  const folder = mkdtempSync(join(all, prefix));
  writeFileSync(join(folder, marker), `${JSON.stringify(identityOf(process.pid) ?? null)}\n`);
  return folder;
}

/** A demo folder of this user in which no demo is running. */
function isForgotten(folder: string): boolean {
  const file = join(folder, marker);
  const own = [folder, file].map((path) => lstatSync(path, { throwIfNoEntry: false }));
  if (!own[0]?.isDirectory() || !own[1]?.isFile()) return false;
  if (own.some((one) => one?.uid !== process.getuid?.())) return false;
  const owner = JSON.parse(readFileSync(file, "utf8")) as ProcessIdentity | null;
  return owner === null || !isAlive(owner);
}

/** A repository with these files committed on main, and with a configured author. */
export async function makeRepository(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  writeFiles(folder, files);
  await git(folder, ["init", "--quiet", "--initial-branch=main", "--template="]);
  for (const [name, value] of Object.entries({
    "user.name": "Demo",
    "user.email": "demo@localhost",
    "core.autocrlf": "false",
  }))
    await git(folder, ["config", name, value]);
  await git(folder, ["add", "--all"]);
  await git(folder, ["commit", "--quiet", "--message", "A small shop"]);
  return folder;
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
