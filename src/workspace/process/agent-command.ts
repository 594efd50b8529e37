import { mkdirSync, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import { shellWord } from "../../core/text/quoted.ts";
import { replaceFile } from "../files/replace-file.ts";
import { installFolder } from "./install-folder.ts";

/** The search path of programs that have no PATH. */
const systemPath = ["/usr/local/bin", "/usr/bin", "/bin"].join(delimiter);

/** Writes a command `lockstep` into a folder for agents. It runs this installation with this Node. */
export function placeCommand(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const words = [realpathSync(process.execPath), join(installFolder(), "bin", "lockstep.cjs")];
  put(folder, "lockstep", { text: `#!/bin/sh\nexec ${words.map(shellWord).join(" ")} "$@"\n`, mode: 0o755 });
}

/**
 * Writes the profile that a login shell of an agent reads. It restores PATH, because `/etc/profile` replaces it on some
 * systems (Debian for example) and the user's own profile is hidden.
 */
export function placeProfile(folder: string, path: string): string {
  return put(folder, ".profile", { text: `PATH=${shellWord(path)}\nexport PATH\n`, mode: 0o644 });
}

/** Atomic, because another agent's shell may read the file at the same time. */
function put(folder: string, name: string, { text, mode }: { text: string; mode: number }): string {
  replaceFile(join(folder, name), text, { mode });
  return join(folder, name);
}

/** The folder comes first, so that a file of the project does not shadow the command. */
export function searchedFirst(folder: string, path: string | undefined): string {
  return [folder, path || systemPath].join(delimiter);
}
