import { readFileSync, readlinkSync } from "node:fs";
import { uptime } from "node:os";

const ancestorsMax = 1000;
const ticksPerSecond = 100;

/** The visible properties of a process. */
export interface SeenProcess {
  readonly pid: number;
  /** 0 if the parent is not in this namespace. */
  readonly parent: number;
  /** The command line, the program first. */
  readonly words: readonly string[];
  /** The environment at the start; empty if it cannot be read, as on macOS. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The working folder; undefined if it cannot be read. */
  readonly folder: string | undefined;
  /** Undefined if unknown. */
  readonly hasTerminal: boolean | undefined;
  readonly startedMs: number | undefined;
}

/** A process, its parent, its grandparent and so on. */
export function lineageOf(pid: number): readonly SeenProcess[] {
  const look = process.platform === "linux" ? lookInProc : lookIn(listProcesses());
  const found: SeenProcess[] = [];
  for (let at = pid; at > 0 && found.length < ancestorsMax; ) {
    const seen = look(at);
    if (seen === undefined) break;
    found.push(seen);
    at = seen.parent;
  }
  return found;
}

function lookInProc(pid: number): SeenProcess | undefined {
  const stat = readIfSeen(`/proc/${pid}/stat`);
  if (stat === "") return undefined;
  // The program name before these fields is in parentheses and can contain any character.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const startedSeconds = Number(fields[22 - 3]) / ticksPerSecond;
  return {
    pid,
    parent: Number(fields[4 - 3]),
    words: readIfSeen(`/proc/${pid}/cmdline`).split("\0").slice(0, -1),
    environment: readEnvironment(readIfSeen(`/proc/${pid}/environ`)),
    folder: folderOf(pid),
    hasTerminal: fields[7 - 3] !== "0",
    startedMs: Date.now() - (uptime() - startedSeconds) * 1000,
  };
}

function readEnvironment(text: string): SeenProcess["environment"] {
  const pairs = text.split("\0").map((pair) => [pair, pair.indexOf("=")] as const);
  return Object.fromEntries(
    pairs.filter(([, at]) => at > 0).map(([pair, at]) => [pair.slice(0, at), pair.slice(at + 1)]),
  );
}

function folderOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined; // the process belongs to another user
  }
}

function readIfSeen(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return ""; // the process has ended, or belongs to another user
  }
}

/** From `ps`, which shows neither environments nor working folders, and separates arguments with blanks only. */
export function listProcesses(): ReadonlyMap<number, SeenProcess> {
  const found = new Map<number, SeenProcess>();
  for (const line of psOutput().split("\n")) {
    const [, pid, parent, command = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined) continue;
    found.set(Number(pid), {
      ...{ pid: Number(pid), parent: Number(parent), words: command.split(" "), environment: {} },
      ...{ folder: undefined, hasTerminal: undefined, startedMs: undefined },
    });
  }
  return found;
}

function psOutput(): string {
  try {
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    return execFileSync("ps", ["-axww", "-o", "pid=", "-o", "ppid=", "-o", "command="], {
      encoding: "utf8",
      env: { PATH: "/bin:/usr/bin" },
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch {
    return "";
  }
}

function lookIn(all: ReadonlyMap<number, SeenProcess>): (pid: number) => SeenProcess | undefined {
  return (pid) => all.get(pid);
}
