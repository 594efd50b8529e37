/** A git program that failed, told once and in one line. */
export class GitFault extends Error {
  override readonly name = "GitFault";
  readonly code = "E-GIT";
  readonly exit: number | null;
  readonly stderr: string;

  constructor(words: readonly string[], { exit, stderr }: { exit: number | null; stderr: string }) {
    const first =
      stderr.trim().split("\n")[0] || `it ended ${exit === null ? "by a signal" : `with ${exit}`}`;
    // Settings for this one call come before it.
    const program = words.find((word, at) => !word.startsWith("-") && words[at - 1] !== "-c") ?? "";
    super(`\`git ${program}\` failed: ${told(first)}`);
    this.exit = exit;
    this.stderr = stderr;
  }
}

/** Git's own advice stands in the lines after the first. */
function told(line: string): string {
  const [, folder] = /detected dubious ownership in repository at '(.*)'/.exec(line) ?? [];
  return folder === undefined
    ? line
    : `the repository belongs to another user: run \`git config --global --add safe.directory ${folder}\``;
}
