import { createHash } from "node:crypto";
import { accessSync, constants, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { orDiskFault } from "./disk-fault.ts";

const otherHome = "set XDG_STATE_HOME to a folder that you can write";

/** Where checkouts of a repository lie: outside of it, or a test there could pass on the wrong packages. */
export function checkoutsFolder(commonFolder: string): string {
  const folder = checkoutsPath(commonFolder);
  orDiskFault("create", folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }), otherHome);
  orDiskFault("write to", folder, () => accessSync(folder, constants.W_OK | constants.X_OK), otherHome);
  return folder;
}

/** The same, whether it exists or not. */
export function checkoutsPath(commonFolder: string): string {
  const home = process.env.XDG_STATE_HOME || join(homedir(), ".local", "state");
  const name = basename(commonFolder) === ".git" ? basename(dirname(commonFolder)) : basename(commonFolder);
  const id = createHash("sha256").update(commonFolder).digest("hex").slice(0, 12);
  return join(home, "lockstep", `${name.replace(/[^A-Za-z0-9._-]/g, "_")}-${id}`);
}
