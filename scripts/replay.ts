import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { type Opened, openEngine } from "../src/cli/open/open-engine.ts";
import type { Config } from "../src/contract/config.ts";
import { integrate } from "../src/run/landing/integrate.ts";
import type { Member } from "../src/run/landing/integration.ts";
import { readRepository } from "../src/workspace/git/repository-state.ts";

/** A repository whose history is replayed, from `replay.json`. */
interface Replayed {
  /** Owner and name; its clone is below the folder, at the path or as `owner+name`. */
  readonly name: string;
  readonly runner: string;
  /** The command that proves a commit. */
  readonly test: string;
  /** The newest commit of the range; by default that of the default branch. */
  readonly tip?: string;
  /** The number of changes, backwards along the first parents. */
  readonly count: number;
  /** Git's patterns: only changes that touch one of these. */
  readonly paths?: readonly string[];
  /** Runs once, in the folder above the clone: the installed files are used for the whole range. */
  readonly install?: readonly (readonly string[])[];
  readonly env?: Readonly<Record<string, string>>;
  /** Like `workspace.home` in the configuration. */
  readonly home?: readonly string[];
}

/** The outcome of one change, as stored in `results.jsonl`. */
export interface Replay {
  readonly name: string;
  readonly runner: string;
  readonly commit: string;
  readonly subject: string;
  readonly verdict: "passes" | "asks" | "refused" | "not replayed";
  /** Why it was refused or not replayed. */
  readonly why: string | null;
  /** Its effects on test material. */
  readonly touched: readonly string[];
  /** Why a person is asked. */
  readonly asked: readonly string[];
  /** Whether the base's tests ran once more. */
  readonly ranAgain: boolean;
  readonly seconds: number;
}

/** Replays the changes that `results.jsonl` does not contain yet, and returns all of its results. */
export async function replayHistory(
  folder: string,
  only: readonly string[],
  tell: (line: string) => void,
): Promise<readonly Replay[]> {
  const repositories = JSON.parse(readFileSync(join(folder, "replay.json"), "utf8")) as readonly Replayed[];
  const kept = join(folder, "results.jsonl");
  const wanted = repositories.filter(({ name }) => only.length === 0 || only.includes(name));
  for (const repository of wanted) {
    const done = new Set(readResults(kept).map(({ name, commit }) => `${name} ${commit}`));
    await replayRepository(folder, repository, {
      isDone: (commit) => done.has(`${repository.name} ${commit}`),
      keep: (result) => {
        appendFileSync(kept, `${JSON.stringify(result)}\n`);
        tell(
          `${result.name} ${result.commit.slice(0, 10)} ${result.verdict} (${result.seconds} s): ${result.subject}`,
        );
      },
    });
  }
  return readResults(kept);
}

export function readResults(path: string): readonly Replay[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  const all = lines.map((line) => JSON.parse(line) as Replay);
  // The later result counts.
  return [...new Map(all.map((one) => [`${one.name} ${one.commit}`, one])).values()];
}

interface Keeping {
  isDone(commit: string): boolean;
  keep(result: Replay): void;
}

async function replayRepository(folder: string, repository: Replayed, { isDone, keep }: Keeping) {
  const { name, count, tip = "origin/HEAD", runner, paths = [] } = repository;
  const place = prepare(folder, repository);
  const git = gitIn(join(place, "repository"));
  const range = ["rev-list", "--first-parent", `--max-count=${count}`, tip, "--", ...paths];
  const commits = git(...range)
    .split("\n")
    .reverse();
  const open = commits.filter((commit) => !isDone(commit));
  if (open.length === 0) return;
  setEnvironment(place, repository);
  const opened = await openIn(join(place, "repository"));
  try {
    for (const commit of open) {
      const begun = Date.now();
      const subject = git("log", "-1", "--format=%s", commit);
      git("checkout", "-q", "-f", "-B", "main", `${commit}^1`);
      git("branch", "-f", "change", commit);
      const told = await replayChange(opened, repository);
      keep({ name, runner, commit, subject, ...told, seconds: Math.round((Date.now() - begun) / 1000) });
    }
  } finally {
    opened[Symbol.dispose]();
  }
}

/**
 * A separate clone next to its installed files; the checkouts of proofs are below the same folder, so they find these.
 */
function prepare(folder: string, { name, install = [] }: Replayed): string {
  const place = join(resolve(folder), "work", name.replace("/", "+"));
  if (existsSync(join(place, "ready"))) return place;
  mkdirSync(place, { recursive: true });
  const source = [name, name.replace("/", "+")]
    .map((path) => join(resolve(folder), path))
    .find((path) => existsSync(path));
  if (source === undefined) throw new Error(`${folder} has no clone of ${name}`);
  const clone = join(place, "repository");
  if (!existsSync(clone)) execFileSync("git", ["clone", "-q", source, clone]);
  const git = gitIn(clone);
  git("config", "user.name", "replay");
  git("config", "user.email", "replay@localhost");
  // Without it, npm would look for a package further up.
  writeFileSync(join(place, "package.json"), "{}\n");
  for (const [program = "", ...words] of install)
    execFileSync(program, words, { cwd: place, stdio: ["ignore", "ignore", "inherit"] });
  writeFileSync(join(place, "ready"), "");
  return place;
}

function setEnvironment(place: string, { env = {} }: Replayed): void {
  const bin = join(place, "node_modules", ".bin");
  const path = (process.env.PATH ?? "").split(delimiter).filter((one) => !one.startsWith(dirname(place)));
  Object.assign(process.env, {
    ...env,
    XDG_STATE_HOME: join(place, "state"),
    PATH: [bin, ...path].join(delimiter),
  });
}

function openIn(path: string): Promise<Opened> {
  const before = process.cwd();
  process.chdir(path);
  try {
    return openEngine({ create: true });
  } finally {
    process.chdir(before);
  }
}

async function replayChange({ engine, project, config }: Opened, { test, env = {}, home = [] }: Replayed) {
  const repository = await readRepository(project, { ...config, base_branch: "main" });
  if ("error" in repository) return notReplayed(repository.error);
  const asSet: Config = {
    ...config,
    base_branch: "main",
    checks: { ...config.checks, default: [test] },
    workspace: {
      ...config.workspace,
      ...{ setup: [], home: [...home], env_pass: [...config.workspace.env_pass, ...Object.keys(env)] },
    },
  };
  const call = { role: "person" as const };
  const context = { engine, config: asSet, repository, call, dryRun: true, onProgress: () => {} };
  try {
    const request = { branch: "change", scope: null, checks: [], proves: [] };
    const { branches } = await integrate(context, [request]);
    const [member] = branches;
    return member === undefined ? notReplayed("nothing was said of it") : readMember(member);
  } catch (error) {
    return notReplayed(error instanceof Error ? error.message : String(error));
  }
}

function notReplayed(why: string) {
  return { verdict: "not replayed", why, touched: [], asked: [], ranAgain: false } as const;
}

function readMember({ outcome, refused, tests, evidence }: Member) {
  const red = evidence.some(({ kind, before }) => kind === "project" && before?.exit !== 0);
  if (red) return notReplayed("the parent's tests fail");
  if (outcome === "nothing") return notReplayed("the change is empty");
  const ranAgain = evidence.some(({ kind }) => kind === "judgement");
  const details = refused?.details as
    | { readonly weakened?: readonly string[]; readonly changes?: typeof tests.changes }
    | undefined;
  const touched = (details?.changes ?? tests.changes).map(({ path, what }) => `${path}: ${what}`);
  const told = { touched, ranAgain, asked: details?.weakened ?? [], why: null };
  if (outcome === "proven" || outcome === "merged") return { ...told, verdict: "passes" } as const;
  if (outcome === "waiting" && details?.weakened !== undefined) return { ...told, verdict: "asks" } as const;
  const why = refused?.reason ?? outcome;
  // Nothing ran, so nothing is known about it.
  if (outcome === "waiting") return notReplayed(why);
  return { ...told, verdict: "refused", why } as const;
}

function gitIn(folder: string) {
  return (...words: string[]) =>
    execFileSync("git", words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}
