import { LastingGit } from "./lasting-git.ts";

export interface RefChange {
  readonly ref: string;
  /** Undefined deletes it. */
  readonly to: string | undefined;
  /** What it has to be now; null stands for nothing, undefined for whatever it is. */
  readonly from?: string | null;
}

/** All of them or none; what does not hold any more is a `GitFault`. */
export async function changeRefs(
  folder: string,
  changes: readonly RefChange[],
  { logged = false }: { readonly logged?: boolean } = {},
): Promise<void> {
  if (changes.length > 0) await (logged ? withLog : plain).ask(folder, changes);
}

const done = "start: ok\ncommit: ok\n";

/** While it waits it holds no lock; that it soon ends lets others see that nobody is at work. */
function writer(...options: readonly string[]) {
  return new LastingGit<readonly RefChange[], undefined>({
    // A log for every ref that is set once would be a file for each task.
    words: ["-c", "core.logAllRefUpdates=false", "update-ref", ...options, "--stdin"],
    idleMs: 200,
    ask: (changes) => ["start", ...changes.map(lineOf), "commit", ""].join("\n"),
    answer: (_changes, came) =>
      came.length < done.length ? undefined : { answer: undefined, bytes: done.length },
  });
}

const plain = writer("-m", "lockstep: set");
/** What the ref held before can still be found. */
const withLog = writer("--create-reflog", "-m", "lockstep: kept");

function lineOf({ ref, to, from }: RefChange): string {
  if (to === undefined) return `delete ${ref}${from ? ` ${from}` : ""}`;
  if (from === null) return `create ${ref} ${to}`;
  return `update ${ref} ${to}${from === undefined ? "" : ` ${from}`}`;
}
