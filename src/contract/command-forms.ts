/** A command is written as a line or as a list of words; whoever runs it gets the one form that he needs. */

const plainLine = /^[\w@%+:,./-]+(?: +[\w@%+=:,./-]+)*$/;
const plainWord = /^[\w@%+=:,./-]+$/;

/** What no shell has to read is split at its blanks; everything else is a shell's. */
export function wordsOfLine(line: string): [string, ...string[]] {
  const trimmed = line.trim();
  if (!plainLine.test(trimmed)) return ["sh", "-c", trimmed];
  const [program = "", ...more] = trimmed.split(/ +/);
  return [program, ...more];
}

export function lineOfWords(words: readonly string[]): string {
  return words.map((word) => (plainWord.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}
