/** The last error, and how many times in a row it occurred. */
export interface Streak {
  readonly fingerprint: string;
  readonly count: number;
}

export function nextStreak(streak: Streak | null, fingerprint: string): Streak {
  return { fingerprint, count: streak?.fingerprint === fingerprint ? streak.count + 1 : 1 };
}
