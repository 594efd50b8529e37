/** What a process may reach. All paths are absolute and exist; links in them are resolved. */
export interface Walls {
  readonly writable: readonly string[];
  readonly readOnly: readonly string[];
  /** Read as empty. */
  readonly hidden: readonly string[];
  /** Empty and read-only, but for the paths below it that are named. */
  readonly home: {
    readonly path: string;
    readonly shown: readonly string[];
    readonly writable: readonly string[];
    /** Names of files in it, each with the file that is there instead, read-only. */
    readonly given?: ReadonlyMap<string, string>;
  };
  /** Writable folders in the place of others, of which nothing else can be reached. */
  readonly placed: readonly PlacedFolder[];
  /** Outside; a private folder that is the temporary folder inside. Null: the machine's own temporary folders. */
  readonly temporary: string | null;
  readonly network: boolean;
  /** Lockstep's own socket, which can be reached although the folder around it is hidden. */
  readonly socket?: string;
}

export interface PlacedFolder {
  /** The folder as it is called inside. */
  readonly at: string;
  /** The one that is there instead. */
  readonly from: string;
  /** Names below the folder that are there as they are outside, read-only. */
  readonly shown: readonly string[];
}

export interface Sandbox {
  readonly kind: "bubblewrap" | "none";
  /** False: the walls are wishes. */
  readonly enforces: boolean;
  /** What to start instead of the command, with exactly this environment. */
  wrap(
    command: readonly string[],
    walls: Walls,
    options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  ): { readonly command: readonly string[]; readonly env: Record<string, string> };
}

/** Walls that cannot be built as they were asked for. */
export class SandboxFault extends Error {
  override readonly name = "SandboxFault";
  readonly code = "R-PE-003";
  readonly retryable = false;
}
