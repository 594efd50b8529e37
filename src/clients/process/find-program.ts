import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { quoted } from "../../core/text/quoted.ts";
import type { Probe } from "../agent.ts";

/** A plain name is searched on PATH; a path is relative to the project's root. */
export function programFile(program: string, root: string): string {
  return program.includes("/") ? resolve(root, program) : program;
}

/** Why the program cannot be started; undefined if it can. */
export function findFault(
  program: string,
  { root, path }: { readonly root: string; readonly path: string },
): Extract<Probe, { usable: false }> | undefined {
  const folders = path.split(delimiter).filter(isAbsolute);
  const named = program.includes("/");
  const files = named ? [programFile(program, root)] : folders.map((folder) => join(folder, program));
  const found = files.filter(isFile);
  if (found.some(isExecutable)) return undefined;
  const [file] = found;
  if (file !== undefined)
    return broken(`${quoted(file)} is not executable: \`chmod +x\` it, or name its interpreter first`);
  const where = named ? `the file ${quoted(files[0] ?? "")} is missing` : `${quoted(program)} is not on PATH`;
  return { usable: false, why: "missing", reason: `${where}: install it, or correct the agent's \`run\`` };
}

function broken(reason: string) {
  return { usable: false, why: "broken", reason } as const;
}

/** False for files in folders that this user cannot read, which a shell skips too. */
function isFile(path: string): boolean {
  return unlessClosed(() => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false);
}

function isExecutable(path: string): boolean {
  return unlessClosed(() => {
    accessSync(path, constants.X_OK);
    return true;
  });
}

function unlessClosed(look: () => boolean): boolean {
  try {
    return look();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES") return false;
    throw error;
  }
}
