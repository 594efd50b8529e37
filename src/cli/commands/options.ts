/** Options that several commands share. */
export const json = ["--json", "print one JSON document to stdout"] as const;
export const key = [
  "--key <key>",
  "idempotency key: a repeated request with the same key returns the first answer",
] as const;
export const dryRun = ["--dry-run", "show what would happen, and change nothing"] as const;
export const epoch = ["--epoch <n>", "the attempt that calls (default: $LOCKSTEP_EPOCH)"] as const;
export const allowRed = [
  "--allow-red",
  "tolerate checks that already fail on the base, if they fail the same way",
] as const;
export const tokens = ["--tokens <n>", "token budget of a task (default: limits.tokens.halt)"] as const;
export const minutes = ["--minutes <n>", "time budget of an attempt (default: limits.minutes.halt)"] as const;
export const scope = [
  "--scope <path...>",
  "paths or globs it may change, relative to the current folder (default: everything)",
] as const;
export const check = [
  "--check <command...>",
  "must pass on the merged tree too, besides the project's checks (`checks.default`)",
] as const;
export const proves = ["--proves <command...>", "must fail on the base and pass on the merged tree"] as const;
export const mayChangeTests = [
  "--may-change-tests <glob...>",
  "tests that it may change without asking you",
] as const;

export async function endsWith(exit: Promise<number>): Promise<void> {
  process.exitCode = await exit;
}
