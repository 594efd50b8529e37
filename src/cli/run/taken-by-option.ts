/**
 * An option that takes several values also swallows the argument that follows it. Describes what it took, for an error
 * message; undefined if no such option was given.
 */
export function takenByOption(words: readonly string[], variadic: readonly string[]): string | undefined {
  const at = words.findLastIndex((word) => variadic.includes(word));
  if (at < 0) return undefined;
  const rest = words.slice(at + 1);
  const end = rest.findIndex((word) => word.startsWith("-"));
  const taken = end < 0 ? rest : rest.slice(0, end);
  if (taken.length < 2) return undefined;
  const list = taken.map((word) => `\`${word}\``).join(" and ");
  return `\`${words[at]}\` took ${list}: write \`--\` before the argument, or put it first`;
}
