import { LastingGit } from "./lasting-git.ts";

export interface RefChange {
  readonly ref: string;
  /** Undefined deletes the ref. */
  readonly to: string | undefined;
  /** The expected current value; null if the ref must not exist, undefined for any value. */
  readonly from?: string | null;
}

/** Applies all changes or none. A ref without its expected value is a `GitFault`. */
export async function changeRefs(
  folder: string,
  changes: readonly RefChange[],
  { logged = false }: { readonly logged?: boolean } = {},
): Promise<void> {
  if (changes.length > 0) await (logged ? withLog : plain).ask(folder, changes);
}

const done = "start: ok\ncommit: ok\n";

/** An idle process holds no lock. It ends soon, so that other processes do not take a stale lock for one that it holds. */
function writer(...options: readonly string[]) {
  return new LastingGit<readonly RefChange[], undefined>({
    // Without this setting each ref would get a log file, although most are set only once.
    words: ["-c", "core.logAllRefUpdates=false", "update-ref", ...options, "--stdin"],
    idleMs: 1_000,
    ask: (changes) => ["start", ...changes.map(lineOf), "commit", ""].join("\n"),
    answer: (_changes, came) =>
      came.length < done.length ? undefined : { answer: undefined, bytes: done.length },
  });
}

const plain = writer("-m", "lockstep: set");
/** The log keeps the ref's previous values. */
const withLog = writer("--create-reflog", "-m", "lockstep: kept");

function lineOf({ ref, to, from }: RefChange): string {
  if (to === undefined) return `delete ${ref}${from ? ` ${from}` : ""}`;
  if (from === null) return `create ${ref} ${to}`;
  return `update ${ref} ${to}${from === undefined ? "" : ` ${from}`}`;
}
