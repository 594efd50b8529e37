/** What a process in the sandbox can reach. All paths are absolute and exist; links in them are resolved. */
export interface SandboxPolicy {
  readonly writable: readonly string[];
  readonly readOnly: readonly string[];
  /** These appear empty. */
  readonly hidden: readonly string[];
  /** Empty and read-only, except for the paths below it that are named here. */
  readonly home: {
    readonly path: string;
    readonly shown: readonly string[];
    readonly writable: readonly string[];
    /** Names of files in the home, each with the file that replaces it, read-only. */
    readonly given?: ReadonlyMap<string, string>;
  };
  /** Writable folders that replace others. The replaced folders cannot be reached. */
  readonly placed: readonly PlacedFolder[];
  /** A private folder that is the temporary folder in the sandbox. Null: the machine's own temporary folders. */
  readonly temporary: string | null;
  /** False: a network of its own, with the loopback interface only. */
  readonly network: boolean;
  /** Lockstep's own socket. It can be reached although its folder is hidden. */
  readonly socket?: string;
}

export interface PlacedFolder {
  /** The path of the folder in the sandbox. */
  readonly at: string;
  /** The folder outside the sandbox that is mounted there. */
  readonly from: string;
  /** Names below the folder that show the original files, read-only. */
  readonly shown: readonly string[];
}

export interface Sandbox {
  readonly kind: "bubblewrap" | "none";
  /** False: nothing is isolated. */
  readonly enforces: boolean;
  /** Whether a process in the sandbox can have a network of its own, with the loopback interface only. */
  hasOwnNetworks(): Promise<boolean>;
  /** The command to start instead, and its whole environment. */
  wrap(
    command: readonly string[],
    policy: SandboxPolicy,
    options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  ): { readonly command: readonly string[]; readonly env: Record<string, string> };
}

/** A sandbox that cannot be built as requested. */
export class SandboxFault extends Error {
  override readonly name = "SandboxFault";
  readonly code = "R-PE-003";
  readonly retryable = false;
}
