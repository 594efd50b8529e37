/** A record that Lockstep itself ran a command on an exact tree. */
export interface Evidence {
  readonly command: string;
  readonly tree: string;
  readonly exit: number | null;
  readonly seconds: number;
  readonly digest: string;
  readonly tail: string;
  /** For a failure: the part of the output that shows the cause, and the file with all of it. */
  readonly excerpt?: string;
  readonly log?: string;
  /** Why the pass does not count: the command also failed on the same tree. */
  readonly flaky?: string;
}
