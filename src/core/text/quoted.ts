/** Quotes input in a message: in backticks, shortened so that the rest of the message stays readable. */
export function quoted(text: string, lengthMax = 120): string {
  return `\`${shortened(text, lengthMax)}\``;
}

/** Cuts the middle: paths differ at their ends. */
export function shortened(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const half = Math.floor((lengthMax - 1) / 2);
  return `${text.slice(0, half)}…${text.slice(-half)}`;
}

/** Quotes a word for a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
