import { holdsGuarded, isGuardedName, mayBeGuarded, namesLockstep } from "./guarded-processes.ts";
import { readPattern } from "./programs/agents/kill.ts";
import { anyName, known, knownStart, type Text, unknownText } from "./text.ts";
import type { Call } from "./types.ts";
import type { World } from "./world.ts";

export const guardedProcesses: Text = [{ kind: "processes" }];

/** What a program prints about processes; undefined if its output is not about processes. */
export function processOutput(call: Call): Text | undefined {
  const lister = listers.get(call.name);
  if (lister !== undefined) return lister(call);
  if (call.input.kind !== "text" || !holdsGuarded(call.input.text)) return undefined;
  return leavesOut(call) ? unknownText : guardedProcesses;
}

/** A program that reads Lockstep's own files may print the numbers of Lockstep's processes. */
export function printsOfLockstep({ args }: Call, { cwd }: World): boolean {
  return args.some((arg) => namesLockstep(arg, cwd));
}

const listers: ReadonlyMap<string, (call: Call) => Text> = new Map<string, (call: Call) => Text>([
  ["pgrep", (call) => (readPattern(call.args).isSafe ? anyName : guardedProcesses)],
  [
    "pidof",
    ({ args }) =>
      args.every((arg) => isSafeName(known(arg))) && args.length > 0 ? anyName : guardedProcesses,
  ],
  ["ps", ({ args }) => (listsOne(args) ? anyName : guardedProcesses)],
  ["top", () => guardedProcesses],
  ["pstree", () => guardedProcesses],
]);

function isSafeName(name: string | undefined): boolean {
  return name !== undefined && !isGuardedName(name);
}

/** `ps -p PID`, unless it prints the parent of that process. */
function listsOne(args: readonly Text[]): boolean {
  const words = args.map((arg) => known(arg) ?? knownStart(arg));
  const one = words.some((word) => /^(?:-\w*p|--pid|--ppid)/.test(word));
  return (
    one && !words.some((word) => /ppid/.test(word) && !word.startsWith("--ppid")) && !args.some(holdsGuarded)
  );
}

/** A filter whose pattern matches none of Lockstep's processes and no client's. */
function leavesOut({ name, args }: Call): boolean {
  const words = args.map((arg) => known(arg));
  if (/^[efz]?grep$|^rg$|^ag$/.test(name)) {
    const [pattern] = words.filter((word) => word === undefined || !word.startsWith("-"));
    const inverted = words.some((word) => word === undefined || /^-\w*[vef]|^--(?:inv|reg|file)/.test(word));
    return !inverted && pattern !== undefined && !mayBeGuarded(pattern, "line");
  }
  if (!/^[gmn]?awk$/.test(name)) return false;
  const patterns = words.join(" ").match(/(?<=^|[\s'{}])\/[^/]+\//g) ?? [];
  return patterns.length > 0 && patterns.every((one) => !mayBeGuarded(one.slice(1, -1), "line"));
}
