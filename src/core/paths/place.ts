/** The context in which a path is read. All folders are absolute, with `/` and without a trailing `/`. */
export interface Place {
  /** The project root as the caller spells it. */
  readonly root: string;
  /** The project root with links resolved, if that differs. */
  readonly realRoot?: string;
  /** The base of relative paths; defaults to the root. */
  readonly cwd?: string;
  /** The caller's home folder, for `~`. If absent, `~` counts as outside the project. */
  readonly home?: string;
  /** Other checkouts of the same repository: a path in one of them counts as its path within that checkout. */
  readonly checkouts?: readonly string[];
  /** Git folders inside the project that are not called `.git`. */
  readonly gitFolders?: readonly string[];
  /** True if the file system treats `SRC/a` and `src/a`, or two Unicode forms, as the same name. */
  readonly folds?: boolean;
}

/** Access to the file system for the core. Paths are absolute and may contain `..`. */
export interface Disk {
  /** The path with every link in its existing part resolved; a dangling link resolves to its target. */
  realPath(absolute: string): string;
  kindOf(absolute: string): "file" | "folder" | "absent";
  sizeOf(absolute: string): number;
  /** The names in a folder, for wildcards; empty if it cannot be read. */
  namesIn?(absolute: string): readonly string[];
}
