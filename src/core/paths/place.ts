/** Where a spelled path is read from. All folders are absolute, with `/`, without a trailing one. */
export interface Place {
  /** The project's top folder as the caller spells it. */
  readonly root: string;
  /** The same folder with links resolved, where that differs. */
  readonly realRoot?: string;
  /** The folder that relative paths start from; the root where absent. */
  readonly cwd?: string;
  /** The caller's home folder, for `~`; unknown means that `~` leaves the project. */
  readonly home?: string;
  /** Other checkouts of the same repository: a path in one of them is judged by its path within. */
  readonly checkouts?: readonly string[];
  /** Folders of git inside the project that are not called `.git`. */
  readonly gitFolders?: readonly string[];
  /** True where the file system takes `SRC/a` and `src/a`, or two Unicode forms, for one name. */
  readonly folds?: boolean;
}

/** What the shell can tell the core about the disk. Paths are absolute and may hold `..`. */
export interface Disk {
  /** The path with every link resolved in its deepest existing part; a dangling link is its target. */
  realPath(absolute: string): string;
  kindOf(absolute: string): "file" | "folder" | "absent";
  sizeOf(absolute: string): number;
  /** The names in a folder, for wildcards; none where it cannot be read. */
  namesIn?(absolute: string): readonly string[];
}
