/** A record that Lockstep itself ran a command on an exact tree. */
export interface Evidence {
  readonly command: string;
  readonly tree: string;
  readonly exit: number | null;
  readonly seconds: number;
  readonly digest: string;
  readonly tail: string;
  /** Of a failure: the part of its output that tells why, and the file that has all of it. */
  readonly excerpt?: string;
  readonly log?: string;
  /** Why the pass does not count: it failed on the same tree too. */
  readonly flaky?: string;
}
