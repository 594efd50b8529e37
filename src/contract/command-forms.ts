/** A command is configured as a line or as a list of words; each user of a command gets the form it needs. */

const plainLine = /^[\w@%+:,./-]+(?: +[\w@%+=:,./-]+)*$/;
const plainWord = /^[\w@%+=:,./-]+$/;

/** Splits a line without shell syntax at its blanks; any other line is passed to a shell. */
export function wordsOfLine(line: string): [string, ...string[]] {
  const trimmed = line.trim();
  if (!plainLine.test(trimmed)) return ["sh", "-c", trimmed];
  const [program = "", ...more] = trimmed.split(/ +/);
  return [program, ...more];
}

export function lineOfWords(words: readonly string[]): string {
  return words.map((word) => (plainWord.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}
