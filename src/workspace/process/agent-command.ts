import { mkdirSync, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import { shellWord } from "../../core/text/quoted.ts";
import { replaceFile } from "../files/replace-file.ts";
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
  put(folder, "lockstep", { text: `#!/bin/sh\nexec ${words.map(shellWord).join(" ")} "$@"\n`, mode: 0o755 });
}

/**
 * What a login shell reads last, for an agent's home. Before it `/etc/profile` has set the search path anew, on Debian
 * for one, and the person's own profile is hidden.
 */
export function placeProfile(folder: string, path: string): string {
  return put(folder, ".profile", { text: `PATH=${shellWord(path)}\nexport PATH\n`, mode: 0o644 });
}

/** Whole or not there: another agent's shell may read it at this moment. */
function put(folder: string, name: string, { text, mode }: { text: string; mode: number }): string {
  replaceFile(join(folder, name), text, { mode });
  return join(folder, name);
}

/** The folder comes first, so that no file of a project is taken for the command. */
export function searchedFirst(folder: string, path: string | undefined): string {
  return [folder, path || systemPath].join(delimiter);
}
