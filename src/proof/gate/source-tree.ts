/** The files of one tree, by their path from the project's root. Links are included, but have no text. */
export interface SourceTree {
  paths(): readonly string[];
  /** Undefined: absent, a link, binary or over 1 MiB. */
  text(path: string): string | undefined;
  /** Reads many texts at once in advance, because reading one takes as long as reading a hundred. */
  load(paths: readonly string[]): void;
  /** As `load`, for callers that can wait; cheap also for a few. */
  fetch(paths: readonly string[]): Promise<void>;
}

/** A move is a file deleted and another added. */
export interface ChangedFile {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted";
  readonly task?: string;
}

/** The base, and the result of merging a batch into it. */
export interface Merge {
  readonly base: SourceTree;
  readonly result: SourceTree;
  readonly changed: readonly ChangedFile[];
}

/** The changed files that still exist, each once. */
export function presentPaths(changed: readonly ChangedFile[]): string[] {
  return [...new Set(changed.filter(({ status }) => status !== "deleted").map(({ path }) => path))];
}

/** The tasks that changed these paths, to be spread into a finding. */
export function changedBy(
  changed: readonly ChangedFile[],
  ...paths: readonly (string | undefined)[]
): { readonly tasks?: readonly string[] } {
  const tasks = changed.flatMap(({ path, task }) =>
    task !== undefined && paths.includes(path) ? [task] : [],
  );
  return tasks.length > 0 ? { tasks: [...new Set(tasks)] } : {};
}
