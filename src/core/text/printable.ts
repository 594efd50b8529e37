// biome-ignore lint/suspicious/noControlCharactersInRegex: text from agents must not control the terminal
const unprintable = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;

export function printable(text: string): string {
  return text.replace(unprintable, " ");
}
