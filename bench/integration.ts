import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "../test/support/temporary-folder.ts";
import { builtCommand } from "./built-command.ts";
import { childEnvironment } from "./child-environment.ts";
import { instantAnswer } from "./plan-repository.ts";
import { atMost, type Options, type Row, type Section } from "./section.ts";
import { nowMs } from "./statistics.ts";

const together = 4;
const landMsMax = 12_000;
const honestRunsMax = 0.3;
const badRunsMax = 2;
const worktreeRatioMax = 0.4;

export const name = "integration";

/** The cost of integrating several tasks, in time and in runs of the project's checks. */
export async function measure({ quick }: Options): Promise<readonly Section[]> {
  using lockstep = builtCommand();
  return [
    latency(lockstep.path),
    checkRuns(lockstep.path, quick ? 20 : 40),
    manyFiles(lockstep.path, quick ? 5_000 : 30_000),
  ];
}

/** From the last submission to the move of the base. On the base the own checks fail at once, as most checks do. */
function latency(lockstep: string): Section {
  using place = repositoryOf({ tasks: together, sleep: 5, batching: "batch" });
  runPlan(place, lockstep);
  const events = JSON.parse(String(execFileSync(lockstep, ["audit", "list", "--json"], optionsIn(place))));
  const lastOf = (type: string) =>
    Math.max(
      ...events.flatMap((one: { type: string; at: string }) => (one.type === type ? Date.parse(one.at) : [])),
    );
  const ms = lastOf("task.merged") - lastOf("task.submitted");
  return {
    title: `${together} tasks whose own checks and project check sleep 5 s, ${together} proofs in parallel`,
    columns: [{ key: "submitted to merged", unit: "time" }],
    rows: [
      {
        name: "one integration",
        values: { "submitted to merged": ms },
        goals: [atMost(ms, landMsMax, "time")],
      },
    ],
  };
}

/** Runs of the project's check on different trees; a second run on the same tree confirms a failure. */
function checkRuns(lockstep: string, tasks: number): Section {
  const row = (title: string, hasBad: boolean, goal: number): Row => {
    using place = repositoryOf({ tasks, hasBad, batching: "batch" });
    runPlan(place, lockstep);
    const runs = place.countedRuns();
    const landed = Number(place.git("rev-list", "--count", "--first-parent", "main")) - 1;
    const distinct = new Set(runs).size;
    return {
      name: title,
      values: {
        landed,
        "distinct runs": distinct,
        confirmations: runs.length - distinct,
        "per landed change": distinct / landed,
      },
      goals: [atMost(distinct / landed, goal, "ratio")],
    };
  };
  return {
    title: `Runs of the project's check, ${tasks} tasks in integrations of ${together}`,
    columns: [
      { key: "landed", unit: "count" },
      { key: "distinct runs", unit: "count" },
      { key: "confirmations", unit: "count" },
      { key: "per landed change", unit: "ratio" },
    ],
    rows: [
      row("honest tasks", false, honestRunsMax),
      row("one task in each integration breaks the check", true, badRunsMax),
    ],
  };
}

/** The same tasks with git alone: a worktree for each, one after the other. */
function manyFiles(lockstep: string, files: number): Section {
  const tasks = 12;
  using ours = repositoryOf({ tasks, files });
  using theirs = repositoryOf({ tasks, files });
  const own = timed(() => runPlan(ours, lockstep));
  const plain = timed(() => {
    for (let number = 0; number < tasks; number += 1) {
      const side = join(theirs.path, "..", `${theirs.name}-side-${number}`);
      theirs.git("worktree", "add", "--quiet", "-b", `side-${number}`, side);
      const inSide = { cwd: side, env: { ...optionsIn(theirs).env, LOCKSTEP_TASK: `T-${number}` } };
      execFileSync("sh", ["agent.sh"], inSide);
      execFileSync("git", ["commit", "--quiet", "--all", "--message=made"], inSide);
      execFileSync("sh", ["check.sh"], inSide);
      theirs.git("merge", "--quiet", "--no-ff", "--no-edit", `side-${number}`);
      theirs.git("worktree", "remove", "--force", side);
    }
  });
  const ratio = own / plain;
  return {
    title: `${tasks} instant tasks in a repository of ${files.toLocaleString("en")} files`,
    columns: [
      { key: "wall", unit: "time" },
      { key: "÷ worktrees", unit: "ratio" },
    ],
    rows: [
      { name: "git worktrees, one after the other", values: { wall: plain } },
      {
        name: `lockstep run, ${together} slots`,
        values: { wall: own, "÷ worktrees": ratio },
        goals: [atMost(ratio, worktreeRatioMax, "ratio")],
      },
    ],
  };
}

function timed(act: () => void): number {
  const start = nowMs();
  act();
  return nowMs() - start;
}

interface Wanted {
  readonly tasks: number;
  readonly files?: number;
  readonly sleep?: number;
  readonly hasBad?: boolean;
  readonly batching?: "continuous" | "batch";
}

interface BenchRepository extends TemporaryFolder {
  readonly name: string;
  git(...words: string[]): string;
  /** One line for each run of the project's check, the same for the same files. */
  countedRuns(): readonly string[];
}

const counts = ".bench-counts";

function repositoryOf({ tasks, files = 0, sleep = 0, hasBad = false, batching = "continuous" }: Wanted) {
  const folder = temporaryFolder();
  const home = join(folder.path, "home");
  const root = join(folder.path, "main");
  mkdirSync(join(home, counts), { recursive: true });
  mkdirSync(join(root, "made"), { recursive: true });
  const write = (path: string, text: string) => writeFileSync(join(root, path), text);
  const pause = sleep === 0 ? ":" : `sleep ${sleep}`;
  const isBad = (number: number) => hasBad && number % together === together - 1;
  write(
    "agent.sh",
    `number=\${LOCKSTEP_TASK##*-}\ncat made/$number.next > made/$number.txt\necho '${instantAnswer}'\n`,
  );
  write(
    "check.sh",
    `cat made/*.txt | cksum >> "$HOME/${counts}/runs"\n${pause}\n! grep -qx bad made/*.txt\n`,
  );
  for (let number = 0; number < tasks; number += 1) {
    write(`made/${number}.txt`, "nothing yet\n");
    write(`made/${number}.next`, isBad(number) ? "bad\n" : `made ${number}\n`);
  }
  for (let at = 0; at < files; at += 1) {
    const number = Math.floor(at / 10);
    const below = join("files", String(number % 100), String(Math.floor(number / 100)));
    if (at % 10 === 0) mkdirSync(join(root, below), { recursive: true });
    write(join(below, `${at % 10}.txt`), `file ${at}\n`.repeat(20));
  }
  mkdirSync(join(root, ".lockstep"));
  write(
    ".lockstep/config.yaml",
    JSON.stringify({
      agents: { instant: { adapter: "command", run: ["sh", "agent.sh"] } },
      checks: { default: ["sh check.sh"] },
      limits: { max_parallel: together, max_proofs: together, review_retries: 0, batching },
      workspace: { home: [counts] },
    }),
  );
  const planned = Array.from({ length: tasks }, (_, number) => ({
    id: `T-${number}`,
    goal: `made/${number}.txt says what was made`,
    lock_scope: [`made/${number}.txt`],
    acceptance_checks: [`cmd: ! grep -q nothing made/${number}.txt && ${pause}`],
  }));
  write("tasks.yaml", JSON.stringify({ tasks: planned }));
  const git = (...words: string[]) =>
    execFileSync("git", words, { cwd: root, env: childEnvironment(), encoding: "utf8" }).trim();
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Bench");
  git("config", "user.email", "bench@localhost");
  git("add", "--all");
  git("commit", "--quiet", "--message=base");
  const runs = join(home, counts, "runs");
  return {
    ...folder,
    path: root,
    name: "main",
    git,
    countedRuns: () => (existsSync(runs) ? readFileSync(runs, "utf8").trim().split("\n") : []),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

function optionsIn({ path }: Pick<BenchRepository, "path">) {
  const home = join(path, "..", "home");
  const env = { ...childEnvironment(), HOME: home, XDG_STATE_HOME: join(path, "..", "state") };
  return { cwd: path, env, maxBuffer: 1024 * 1024 * 1024 };
}

function runPlan(place: Pick<BenchRepository, "path">, lockstep: string): void {
  const { status, stderr, error } = spawnSync(lockstep, ["run"], optionsIn(place));
  if (error !== undefined) throw error;
  // 1: some tasks failed, as those that break the check do.
  if (status !== 0 && status !== 1)
    throw new Error(`the run ended with ${status}: ${String(stderr).slice(-2000)}`);
}
