/** A path as one line of git's input, quoted only if necessary. */
export function quotePath(path: string): string {
  return /["\n]/.test(path) ? `"${path.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"` : path;
}
