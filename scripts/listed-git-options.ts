import { execFileSync } from "node:child_process";

/** The long options that this machine's git lists for a subcommand, or undefined. */
export function listedGitOptions(command: string): readonly string[] | undefined {
  const words = [...command.split(" "), "--git-completion-helper-all"];
  try {
    const listed = execFileSync("git", words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return readListed(listed);
  } catch {
    return undefined; // this git has no such subcommand, or does not read its options in the common way
  }
}

/** Options first, then those that revoke one: `--no-x` for `--x`, `--x` for `--no-x`. */
export function readListed(listed: string): readonly string[] {
  const words = listed.split(/\s+/).filter((word) => word.startsWith("--") && word !== "--");
  const names = words.map((word) => word.replace(/^--|=$/g, ""));
  const takesBack = (name: string, earlier: readonly string[]) =>
    earlier.includes(`no-${name}`) || (name.startsWith("no-") && earlier.includes(name.slice(3)));
  let count = names.length;
  while (count > 0 && takesBack(names[count - 1] ?? "", names.slice(0, count - 1))) count -= 1;
  const back = new Set(names.slice(count));
  return words.slice(0, count).map((word, index) => {
    const name = names[index] ?? "";
    const isTakenBack = back.has(`no-${name}`) || (name.startsWith("no-") && back.has(name.slice(3)));
    return `${word.slice(2)}${isTakenBack ? "" : "!"}`;
  });
}
