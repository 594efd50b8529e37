import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { settingsIn } from "./known-settings.ts";
import { LastingGit } from "./lasting-git.ts";
import { quotePath } from "./quote-path.ts";
import { type GitRun, tryGit } from "./run-git.ts";

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly subject: string;
  readonly body?: string;
  readonly trailers?: Readonly<Record<string, string>>;
}

/** Writes a commit object, without a branch. */
export async function commitTree(folder: string, commit: NewCommit): Promise<string> {
  const { author, committer } = await people(folder);
  const now = timestamp();
  const lines = [
    `tree ${commit.tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${author} ${now}`,
    `committer ${committer} ${now}`,
  ];
  const file = resolve(tmpdir(), `lockstep-commit-${randomUUID()}`);
  writeFileSync(file, `${lines.join("\n")}\n\n${messageOf(commit)}\n`, { mode: 0o600, flag: "wx" });
  try {
    return await writer.ask(folder, file);
  } finally {
    rmSync(file, { force: true });
  }
}

function messageOf({ subject, body, trailers = {} }: NewCommit): string {
  const lines = Object.entries(trailers).map(([name, value]) => `${name}: ${value}`);
  const parts = [subject, body, lines.join("\n")].filter((part) => part !== undefined && part !== "");
  return parts.join("\n\n").replaceAll("\0", " ");
}

/** One long-running process; `git commit-tree` would need a process per commit. */
const writer = new LastingGit<string, string>({
  words: ["hash-object", "-t", "commit", "-w", "--stdin-paths"],
  idleMs: 1_000,
  ask: (file) => `${quotePath(file)}\n`,
  answer(_file, came) {
    const end = came.indexOf(10);
    return end < 0 ? undefined : { answer: came.toString("latin1", 0, end), bytes: end + 1 };
  },
});

interface People {
  readonly author: string;
  readonly committer: string;
}

/** Author and committer, each as `NAME <MAIL>`. */
export function people(folder: string): Promise<People> {
  const known = knownPeople.get(folder) ?? readPeople(folder);
  knownPeople.set(folder, known);
  return known;
}

/** Read once per process. */
const knownPeople = new Map<string, Promise<People>>();

async function readPeople(folder: string): Promise<People> {
  const read = async (name: string) => personIn(await tryGit(folder, ["var", name]));
  const settings = await settingsIn(folder);
  // Git has no variables here that could name them, so without a setting of its own each is `user`.
  if (!settings.some((setting) => /^(?:author|committer)\./.test(setting))) {
    const user = await read("GIT_AUTHOR_IDENT");
    return { author: user, committer: user };
  }
  const [author, committer] = await Promise.all([read("GIT_AUTHOR_IDENT"), read("GIT_COMMITTER_IDENT")]);
  return { author, committer };
}

/** Falls back to Lockstep's own name if git has none configured. */
function personIn(answer: GitRun): string {
  const found = answer.exit === 0 ? answer.stdout.toString("utf8").trim() : "";
  return /^(.*>) \d+ [+-]\d+$/.exec(found)?.[1] ?? "Lockstep <lockstep@localhost>";
}

/** Git rejects larger offsets. */
const zoneMinutesMax = 14 * 60;

/** `1700000000 +0100`: seconds, and the zone in hours and minutes. */
export function timestamp(now = new Date()): string {
  const offset = -now.getTimezoneOffset();
  const east = Math.abs(offset) > zoneMinutesMax ? 0 : offset;
  const two = (value: number) => String(Math.trunc(Math.abs(value))).padStart(2, "0");
  const zone = `${east < 0 ? "-" : "+"}${two(east / 60)}${two(Math.abs(east) % 60)}`;
  return `${Math.floor(now.getTime() / 1000)} ${zone}`;
}
