/** A git program that failed, told once and in one line. */
export class GitFault extends Error {
  override readonly name = "GitFault";
  readonly code = "E-GIT";
  readonly exit: number | null;
  readonly stderr: string;

  constructor(words: readonly string[], { exit, stderr }: { exit: number | null; stderr: string }) {
    const first =
      stderr.trim().split("\n")[0] || `it ended ${exit === null ? "by a signal" : `with ${exit}`}`;
    super(`\`git ${words.find((word) => !word.startsWith("-")) ?? ""}\` failed: ${first}`);
    this.exit = exit;
    this.stderr = stderr;
  }
}
