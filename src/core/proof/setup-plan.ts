export type Command = readonly string[];

/** How a tree's dependencies are installed, and why. */
export interface SetupPlan {
  /** Empty if nothing is installed. */
  readonly commands: readonly Command[];
  /** The files that were found, or those that were not found. */
  readonly why: string;
  /** A proposal for `workspace.setup`, if the project may need something that Lockstep does not install. */
  readonly next: string | null;
}

export function found(why: string, ...commands: readonly Command[]): SetupPlan {
  return { commands, why, next: null };
}

export function none(why: string, next: string | null = null): SetupPlan {
  return { commands: [], why, next };
}
