/** A record that Lockstep itself ran a command on an exact tree. */
export interface Evidence {
  readonly command: string;
  readonly tree: string;
  readonly exit: number | null;
  readonly seconds: number;
  readonly digest: string;
  readonly tail: string;
}
