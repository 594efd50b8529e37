/** Escape sequences of a terminal; none reaches over the end of its line. */
const escapes =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  /[\u001b\u009b](?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\u0007\u001b\n]{0,2048}(?:\u0007|\u001b\\)|[PX^_][^\u001b\n]{0,2048}\u001b\\|[ -/]{0,4}[0-Z\\-~]|[0-?]{0,64}[ -/]{0,8}[@-~])?/g;

/** What a program printed, without colours; a line that was drawn over is one of its own. */
export function plainOutput(text: string): string {
  return text.replace(escapes, "").replace(/\r\n?/g, "\n");
}
