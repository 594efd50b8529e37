/** Input as it stands in a reason: in backticks, and short enough that the cause after it stays readable. */
export function quoted(text: string, lengthMax = 120): string {
  return `\`${shortened(text, lengthMax)}\``;
}

/** Keeps the end, where paths differ. */
export function shortened(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const half = Math.floor((lengthMax - 1) / 2);
  return `${text.slice(0, half)}…${text.slice(-half)}`;
}

/** A word as a shell takes it. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
