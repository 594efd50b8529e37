import { hashText } from "../text/hash-text.ts";

/**
 * The names of all branches and refs that Lockstep creates. They are unique and valid in git for any task, session or
 * branch name. The refs are local: `git push` does not send them, except with `--mirror`. With a remote, Lockstep pushes
 * the work of attempts and the notes.
 */
const root = "refs/lockstep";

/** How refs are named at the remote: as here, or as branches for hosts that accept nothing else. */
export type Transport = "refs" | "heads";

/** Identifies an attempt. All attempts at a task use the same checkout. */
export interface AttemptName {
  readonly session: string | null;
  readonly task: string;
  readonly attempt: number;
}

export interface AttemptRefs {
  /** The commit that the attempt's work is compared with; deleted with the checkout. */
  readonly base: string;
  readonly work: string;
  /** Commits and states of the working tree that are not part of the work. */
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

/** True for a `kept` or `ignored` ref. */
export function isKeptOrIgnored(ref: string): boolean {
  return /\/\d+-(?:kept|ignored)(?:\/|$)/.test(ref);
}

export function holdsIgnored(ref: string): boolean {
  return ref.endsWith("-ignored");
}

/** The prefixes of the refs of all attempts at a task. */
export function refsOfTask({ session, task }: Pick<AttemptName, "session" | "task">): {
  readonly base: string;
  readonly made: string;
} {
  const path = `${session === null ? "none" : sessionSegment(session)}/${taskSegment(task)}`;
  return { base: `${root}/base/${path}`, made: `${root}/${path}` };
}

/** The files of a session, for the machines that work on it. */
export function sessionFilesRef(session: string): string {
  return `${root}/${sessionSegment(session)}/${filesName}`;
}

/** The same ref of a remote, as last fetched. */
export function trackedFilesRef(remote: string, session: string): string {
  return `${root}/remote/${segment(remote)}/${filesName}/${segment(session)}`;
}

const filesName = "files";

/** A task of that name must not be in the way of the session's files. */
function taskSegment(task: string): string {
  return task === filesName ? `%-${filesName}` : segment(task);
}

/** Keeps what another program or person had put on a task's branch. */
export function replacedRef(task: string, commit: string): string {
  return `${root}/replaced/${segment(task)}/${commit.slice(0, 12)}`;
}

/** The contents of a task's scope in the main checkout before its agent wrote there. */
export function beforeRef(key: string, epoch: number): string {
  return `${root}/before/${segment(key)}/${epoch}`;
}

/** The contents of that scope at the time of a rollback. */
export function rolledBackRef(key: string, epoch: number): string {
  return `${root}/rolled-back/${segment(key)}/${epoch}`;
}

/** The proven merge of a branch that is not going to be landed. */
export function provenRef(branch: string): string {
  return `${root}/proven/${segment(branch)}`;
}

/** A person's files at the time when a move of the base was undone. */
export function putBackRef(batch: string): string {
  return `${root}/put-back/${segment(batch)}`;
}

/** What a call wrote outside its lock in a shared checkout, before that was reverted. */
export function strayedRef(task: string | null, commit: string): string {
  return `${strayedRefs}${task === null ? "none" : segment(task)}/${commit.slice(0, 12)}`;
}

/** The name at the remote of a ref that begins with `refs/lockstep/`. */
export function sharedRef(ref: string, transport: Transport): string {
  return transport === "refs" ? ref : `refs/heads/${ref.slice("refs/".length)}`;
}

/** The proofs of merged commits, and at a remote also the epoch of every integrator that took over. */
export const notesRef = "refs/notes/lockstep";

/** No task has the branch `lockstep/%-notes`, because `%-` is not a valid escape. */
export function sharedNotesRef(transport: Transport): string {
  return transport === "refs" ? notesRef : "refs/heads/lockstep/%-notes";
}

/** Refs that only show whether a remote accepts those of work and notes. */
export function probeRefs(id: string, transport: Transport): readonly [work: string, notes: string] {
  const notes =
    transport === "refs"
      ? `${notesRef}-probe-${segment(id)}`
      : `refs/heads/lockstep/%-notes-probe-${segment(id)}`;
  return [sharedRef(`${root}/probe/${segment(id)}`, transport), notes];
}

/** Where the base branch of a remote was when it was last read. */
export function trackingRef(remote: string, base: string): string {
  return `refs/remotes/${remote}/${base}`;
}

/** The same for the notes of a remote. */
export function trackedNotesRef(remote: string): string {
  return `${root}/remote/${segment(remote)}/notes`;
}

/** Notes that are about to be pushed. */
export function nextNotesRef(remote: string, name: string): string {
  return `${root}/remote/${segment(remote)}/next/${segment(name)}`;
}

/** The copy of a `work` ref that exists until the work has been pushed. */
export function unpushedRef(work: string): string {
  return `${unpushedRefs}${work.slice(root.length + 1)}`;
}

export function workOfUnpushed(ref: string): string {
  return `${root}/${ref.slice(unpushedRefs.length)}`;
}

/** Prefixes: of all refs, and of those that do not belong to a task. */
export const allRefs = `${root}/`;
export const provenRefs = `${root}/proven/`;
export const strayedRefs = `${root}/strayed/`;
export const replacedRefs = `${root}/replaced/`;
export const unpushedRefs = `${root}/unpushed/`;

/** The branch under which a person can restore what a ref keeps. */
export function branchOfKept(ref: string): string {
  return `kept/${ref.slice(root.length + 1).replaceAll("/", "-")}`;
}

/** Merges in progress, one ref per process. */
export const integrationRefs = `${root}/integration/`;

/** File systems allow 255 bytes, and git appends `.lock`. */
const lengthMax = 200;

/** One part of a ref. Bytes that are not plain are percent-encoded, so that different texts stay different. */
function segment(text: string): string {
  const escaped = text.replace(/[^A-Za-z0-9_-]+/g, percented);
  if (escaped !== "" && escaped.length <= lengthMax) return escaped;
  // `%-` is not a valid escape, so the result cannot equal another encoded text.
  return `${escaped.slice(0, lengthMax - 20)}%-${hashText(text)}`;
}

/** Session names begin with a date. Any other name gets a prefix, because it could equal a fixed word above. */
function sessionSegment(session: string): string {
  const named = segment(session);
  return /^\d/.test(named) ? named : `%-${named}`;
}

function percented(text: string): string {
  return [...new TextEncoder().encode(text)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
}
