/** The files of one tree, by their path from the project's root. Links are among the paths and have no text. */
export interface SourceTree {
  paths(): readonly string[];
  /** Undefined: absent, a link, binary or over 1 MiB. */
  text(path: string): string | undefined;
  /** Reads many texts at once, ahead of being asked for each: alone, one takes as long as a hundred. */
  load(paths: readonly string[]): void;
}

/** A move is a file deleted and another added. */
export interface ChangedFile {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted";
  readonly task?: string;
}

/** What a batch made of the base. */
export interface Merge {
  readonly base: SourceTree;
  readonly result: SourceTree;
  readonly changed: readonly ChangedFile[];
}

/** The changed files that are still there, each once. */
export function presentPaths(changed: readonly ChangedFile[]): string[] {
  return [...new Set(changed.filter(({ status }) => status !== "deleted").map(({ path }) => path))];
}

/** Who changed these paths; spread into a finding. */
export function changedBy(
  changed: readonly ChangedFile[],
  ...paths: readonly (string | undefined)[]
): { readonly tasks?: readonly string[] } {
  const tasks = changed.flatMap(({ path, task }) =>
    task !== undefined && paths.includes(path) ? [task] : [],
  );
  return tasks.length > 0 ? { tasks: [...new Set(tasks)] } : {};
}
