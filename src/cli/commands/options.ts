/** Options that several commands take, with the same words. */
export const json = ["--json", "one JSON document on stdout"] as const;
export const key = ["--key <key>", "apply this request once: a repetition gets the first answer"] as const;
export const dryRun = ["--dry-run", "say what would happen, and change nothing"] as const;
export const epoch = ["--epoch <n>", "the attempt that calls (default: $LOCKSTEP_EPOCH)"] as const;

export async function endsWith(exit: Promise<number>): Promise<void> {
  process.exitCode = await exit;
}
