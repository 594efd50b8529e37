import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { repositoryTop } from "../files/find-project.ts";

/**
 * The folders of PATH outside any repository. Lockstep starts git and bubblewrap with the user's rights, and agents may
 * have written to project folders that are on PATH (`.venv/bin`, `node_modules/.bin`).
 */
export function safeSearchPath(path = process.env.PATH ?? ""): string {
  const folders = path.split(delimiter).filter(isAbsolute);
  return folders.filter((folder) => repositoryTop(folder) === undefined).join(delimiter);
}

/**
 * The file that a shell would start for this name. Relative entries of PATH are skipped: the project could contain a
 * program of that name.
 */
export function programOnPath(name: string, path = process.env.PATH ?? ""): string | undefined {
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(isProgram);
}

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

let known: { readonly path: string | undefined; readonly program: string } | undefined;

/** The path of git; just its name if it is only found inside a repository. */
export function gitProgram(): string {
  const path = process.env.PATH;
  if (known?.path !== path || known === undefined) {
    const files = safeSearchPath(path)
      .split(delimiter)
      .map((folder) => join(folder, "git"));
    known = { path, program: files.find(isProgram) ?? "git" };
  }
  return known.program;
}
