/** Terminal escape sequences; a match never extends past the end of its line. */
const escapes =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
  /[\u001b\u009b](?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\u0007\u001b\n]{0,2048}(?:\u0007|\u001b\\)|[PX^_][^\u001b\n]{0,2048}\u001b\\|[ -/]{0,4}[0-Z\\-~]|[0-?]{0,64}[ -/]{0,8}[@-~])?/g;

/** Program output without escape sequences. A carriage return starts a new line. */
export function plainOutput(text: string): string {
  return text.replace(escapes, "").replace(/\r\n?/g, "\n");
}
