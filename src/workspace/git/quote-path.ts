/** A path as git reads it where a line is a path: in its own quotes only where it has to be. */
export function quotePath(path: string): string {
  return /["\n]/.test(path) ? `"${path.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"` : path;
}
