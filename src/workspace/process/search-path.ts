import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { repositoryTop } from "../files/find-project.ts";

/**
 * The folders of PATH that lie in no repository. Lockstep starts git and bubblewrap with the rights of the person, and
 * a folder of the project that is on PATH (`.venv/bin`, `node_modules/.bin`) may be written by programs of agents.
 */
export function safeSearchPath(path = process.env.PATH ?? ""): string {
  const folders = path.split(delimiter).filter(isAbsolute);
  return folders.filter((folder) => repositoryTop(folder) === undefined).join(delimiter);
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

/** Git by its path; by its name where it lies in a repository alone. */
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
