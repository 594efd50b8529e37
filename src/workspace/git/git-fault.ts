/** A git command that failed, with a message of one line. */
export class GitFault extends Error {
  override readonly name = "GitFault";
  readonly code = "E-GIT";
  readonly exit: number | null;
  readonly stderr: string;

  constructor(words: readonly string[], { exit, stderr }: { exit: number | null; stderr: string }) {
    const first =
      stderr.trim().split("\n")[0] || `it ${exit === null ? "was ended by a signal" : `exited with ${exit}`}`;
    // `-c` settings come before the command.
    const program = words.find((word, at) => !word.startsWith("-") && words[at - 1] !== "-c") ?? "";
    super(`\`git ${program}\` failed: ${explained(first)}`);
    this.exit = exit;
    this.stderr = stderr;
  }
}

/** Adds the remedy, which git prints in the lines after the first or not at all. */
function explained(line: string): string {
  // Git has opened the file, and does not say why the write failed.
  if (/^error: unable to write file [^:]*$/.test(line))
    return `${line}: the disk is full or fails: free some space`;
  const [, folder] = /detected dubious ownership in repository at '(.*)'/.exec(line) ?? [];
  return folder === undefined
    ? line
    : `the repository belongs to another user: run \`git config --global --add safe.directory ${folder}\``;
}
