export type Command = readonly string[];

/** How a tree's dependencies are installed, and what tells so. */
export interface SetupPlan {
  /** None: nothing is installed. */
  readonly commands: readonly Command[];
  /** What was found; or what was looked for, and not found. */
  readonly why: string;
  /** What to write under `workspace.setup` where something may be needed that Lockstep does not install. */
  readonly next: string | null;
}

export function found(why: string, ...commands: readonly Command[]): SetupPlan {
  return { commands, why, next: null };
}

export function none(why: string, next: string | null = null): SetupPlan {
  return { commands: [], why, next };
}
