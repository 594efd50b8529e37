import { hashText } from "../text/hash-text.ts";

/**
 * The names of all branches and refs that Lockstep makes. No two things share one, and each is a name that git takes,
 * whatever a task, session or branch is called. The refs are local: `git push` leaves them alone unless it is told to
 * mirror everything.
 */
const root = "refs/lockstep";

/** Whose work it is. All attempts at a task use the same checkout. */
export interface AttemptName {
  readonly session: string | null;
  readonly task: string;
  readonly attempt: number;
}

export interface AttemptRefs {
  /** What the attempt's work is compared with; gone when the checkout is. */
  readonly base: string;
  readonly work: string;
  /** Commits and states of the working tree that are not the work. */
  readonly kept: string;
  readonly ignored: string;
}

/** The branch that shows a task's work. */
export function branchOf(task: string): string {
  return `lockstep/${segment(task)}`;
}

export function refsOf(name: AttemptName): AttemptRefs {
  const { base, made } = refsOfTask(name);
  const { attempt } = name;
  return {
    base: `${base}/${attempt}`,
    work: `${made}/${attempt}`,
    kept: `${made}/${attempt}-kept`,
    ignored: `${made}/${attempt}-ignored`,
  };
}

/** A ref of what is beside the work: commits and states of the tree that are not the work, and files that git ignores. */
export function isBesideWork(ref: string): boolean {
  return /\/\d+-(?:kept|ignored)(?:\/|$)/.test(ref);
}

export function holdsIgnored(ref: string): boolean {
  return ref.endsWith("-ignored");
}

/** What the refs of all attempts at a task begin with. */
export function refsOfTask({ session, task }: Pick<AttemptName, "session" | "task">): {
  readonly base: string;
  readonly made: string;
} {
  const path = `${session === null ? "none" : sessionSegment(session)}/${segment(task)}`;
  return { base: `${root}/base/${path}`, made: `${root}/${path}` };
}

/** What somebody else had on a task's branch. */
export function replacedRef(task: string, commit: string): string {
  return `${root}/replaced/${segment(task)}/${commit.slice(0, 12)}`;
}

/** What a task's scope held in the main checkout before its agent wrote there. */
export function beforeRef(key: string, epoch: number): string {
  return `${root}/before/${segment(key)}/${epoch}`;
}

/** What it held when it was put back to that. */
export function rolledBackRef(key: string, epoch: number): string {
  return `${root}/rolled-back/${segment(key)}/${epoch}`;
}

/** The merge of a branch that was proven and is not to be landed. */
export function provenRef(branch: string): string {
  return `${root}/proven/${segment(branch)}`;
}

/** What a person's files were where a move of the base was taken back. */
export function putBackRef(batch: string): string {
  return `${root}/put-back/${segment(batch)}`;
}

/** What a call left outside its lock in a checkout that others use too, before it was put back. */
export function strayedRef(task: string | null, commit: string): string {
  return `${strayedRefs}${task === null ? "none" : segment(task)}/${commit.slice(0, 12)}`;
}

/** What all of them begin with, and those that are of no task. */
export const allRefs = `${root}/`;
export const provenRefs = `${root}/proven/`;
export const strayedRefs = `${root}/strayed/`;
export const replacedRefs = `${root}/replaced/`;

/** A branch for what a ref keeps, for the person who wants it back. */
export function branchOfKept(ref: string): string {
  return `kept/${ref.slice(root.length + 1).replaceAll("/", "-")}`;
}

/** Merges in the making, a ref for each process. */
export const integrationRefs = `${root}/integration/`;

/** A file system takes 255 bytes, and git adds `.lock`. */
const lengthMax = 200;

/** One part of a ref: the text itself where it is plain; every other byte as `%2F`, so that no two texts are the same. */
function segment(text: string): string {
  const escaped = text.replace(/[^A-Za-z0-9_-]+/g, percented);
  if (escaped !== "" && escaped.length <= lengthMax) return escaped;
  // No escape is `%-`, so that this is no other text.
  return `${escaped.slice(0, lengthMax - 20)}%-${hashText(text)}`;
}

/** Sessions begin with a date; what begins otherwise could be one of the words above. */
function sessionSegment(session: string): string {
  const named = segment(session);
  return /^\d/.test(named) ? named : `%-${named}`;
}

function percented(text: string): string {
  return [...new TextEncoder().encode(text)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
}
