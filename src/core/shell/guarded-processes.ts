import { agentNames } from "./programs/agents/agent-names.ts";
import { knownParts, type Text } from "./text.ts";

/** Names of Lockstep's own processes and of the clients', as `ps -o comm` prints them. */
const names = ["node", "nodejs", "MainThread", "lockstep", ...agentNames];
const lines = [
  "/usr/local/bin/node --optimize-for-size /usr/local/lib/node_modules/lockstep/bin/lockstep.cjs serve",
  ...agentNames.flatMap((name) => [name, `node /usr/local/bin/${name}`]),
];

export function isGuardedName(name: string): boolean {
  const base = name.slice(name.lastIndexOf("/") + 1).replace(/\.exe$/i, "");
  return names.some((guarded) => guarded.toLowerCase() === base.toLowerCase());
}

/** True for letters, wildcards and choices with so few repetitions that matching stays fast. */
const isReadable = (pattern: string) =>
  pattern.length <= 200 &&
  !/\)[*+?{]|[{]|\\[^.\-/]|\(\?/.test(pattern) &&
  (pattern.match(/[*+?]/g) ?? []).length <= 3;

/** Whether a pattern may match one of these processes, by name or by whole command line. */
export function mayBeGuarded(pattern: string, by: "name" | "line"): boolean {
  if (pattern === "" || !isReadable(pattern)) return true;
  try {
    const wanted = new RegExp(pattern, "i");
    return (by === "name" ? names : [...names, ...lines]).some((text) => wanted.test(text));
  } catch {
    return true; // the program may accept a pattern that is invalid here
  }
}

/** Lockstep's own files, which contain the numbers of its processes. */
export function namesLockstep(text: Text, cwd?: string): boolean {
  return /lockstep/i.test(knownParts(text)) || /\/\.(?:git\/)?lockstep(?:\/|$)/.test(cwd ?? "");
}

/** Whether a text may be the number of one of these processes. */
export function holdsGuarded(text: Text): boolean {
  return text.some((piece) => piece.kind === "processes" || (piece.kind === "name" && piece.parent === true));
}
