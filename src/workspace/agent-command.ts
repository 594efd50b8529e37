import { mkdirSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { shellWord } from "../core/points/quoted.ts";
import { installFolder } from "./install-folder.ts";

/** Where programs are looked for that were given no search path. */
const systemPath = ["/usr/local/bin", "/usr/bin", "/bin"].join(delimiter);

/**
 * Puts the command `lockstep` into a folder, for agents to find: this very installation, run by this very Node,
 * whatever else is installed.
 */
export function placeCommand(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const words = [realpathSync(process.execPath), join(installFolder(), "bin", "lockstep.cjs")];
  const making = join(folder, `.lockstep-${process.pid}`);
  writeFileSync(making, `#!/bin/sh\nexec ${words.map(shellWord).join(" ")} "$@"\n`, { mode: 0o755 });
  renameSync(making, join(folder, "lockstep"));
}

/** The folder comes first, so that no file of a project is taken for the command. */
export function searchedFirst(folder: string, path: string | undefined): string {
  return [folder, path || systemPath].join(delimiter);
}
