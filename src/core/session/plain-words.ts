/** Words that people type for yes and no, alone or before a colon and a reason. */
const yes = "yes|yep|y|ok|okay|sure|agreed|approve|approved|accept|accepted|lgtm|looks good|go ahead";
const no = "no|nope|n|refuse|refused|reject|rejected";
const ends = "(?=\\s*:|\\s*[.!]*\\s*$)";
const yesWord = new RegExp(`^(?:${yes})${ends}`, "i");
const noWord = new RegExp(`^(?:${no})${ends}`, "i");

/** True for a plain yes. `yes, but …` asks for a change. */
export function isYes(text: string): boolean {
  return new RegExp(`^(?:${yes})\\s*[.!]*$`, "i").test(text.trim());
}

/** Replaces the first word of an answer with the matching option; the rest stays unchanged. */
export function asOption(text: string, options: readonly string[]): string {
  const typed = text.trim();
  for (const [word, other] of [
    [yesWord, "continue"],
    [noWord, "stop"],
  ] as const) {
    const option = options.find((one) => word.test(one) || one === other);
    if (option !== undefined && word.test(typed)) return typed.replace(word, option).replace(/\s*[.!]+$/, "");
  }
  const begun = options.filter((one) => one.toLowerCase().startsWith(typed.toLowerCase()));
  return typed.length >= 2 && begun.length === 1 ? (begun[0] ?? typed) : typed;
}
