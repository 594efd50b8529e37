import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { quoted } from "../../core/text/quoted.ts";
import type { Probe } from "../agent.ts";

/** A name is looked for on PATH; a path is one from the project's root, as the configuration means it. */
export function programFile(program: string, root: string): string {
  return program.includes("/") ? resolve(root, program) : program;
}

/** Why the program cannot be started, if so. */
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
  const where = named ? `there is no file ${quoted(files[0] ?? "")}` : `${quoted(program)} is not on PATH`;
  return { usable: false, why: "missing", reason: `${where}: install it, or correct the agent's \`run\`` };
}

function broken(reason: string) {
  return { usable: false, why: "broken", reason } as const;
}

/** A shell passes over a folder that is closed to this user. */
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
