import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { plainEntry } from "../src/core/paths/entry.ts";
import { Scope } from "../src/core/paths/scope.ts";
import type { CommandLimits } from "../src/core/shell/judge-command.ts";
import { callSandbox } from "../src/guard/contain/call-sandbox.ts";
import { nodeDisk } from "../src/workspace/files/disk.ts";
import { findProject } from "../src/workspace/files/find-project.ts";
import { atMost, type Options, type Row, type Section } from "./section.ts";
import { interleave, median, nowMs, quantile } from "./statistics.ts";

export const name = "sandbox";

const files = 2000;
const packages = 20;
const addedMsMax = 30;

/** The additional cost of a command inside the sandbox of its lock. */
export async function measure({ quick }: Options): Promise<readonly Section[]> {
  // Not in a temporary folder, which would be writable in the sandbox.
  const home = join(homedir(), ".cache");
  mkdirSync(home, { recursive: true });
  const root = realpathSync(mkdtempSync(join(home, "lockstep-bench-")));
  try {
    return [await measureIn(root, quick ? 20 : 100)];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function measureIn(root: string, rounds: number): Promise<Section> {
  fill(root);
  const project = findProject(root);
  const { place, commonFolder } = project;
  if (commonFolder === undefined) throw new Error("the repository has no git folder");
  const none = new Scope([], place);
  const limits: CommandLimits = {
    ...{ place: { ...place, cwd: root }, disk: nodeDisk(), scratch: [], closed: [] },
    ...{ lock: new Scope([plainEntry("packages/p1", place)], place), forbidden: none, others: none },
  };
  const sandbox = callSandbox({ ...project, commonFolder });
  const prepare = async () => {
    const prepared = await sandbox.prepare({ tree: root, limits, owner: "task T-1" });
    if ("missing" in prepared) throw new Error(prepared.missing);
    return prepared.prefixes.sandbox;
  };
  const prefix = await prepare();
  const run = (command: string) => () => {
    const start = nowMs();
    const { status, stderr } = spawnSync("bash", ["-c", command], { cwd: root, encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
    return nowMs() - start;
  };
  const candidates = {
    "env true, as it is": run("env true"),
    "the same inside the lock": run(`${prefix} env true`),
    "preparing a call, in the warm process": async () => {
      const start = nowMs();
      await prepare();
      return nowMs() - start;
    },
  };
  await interleave(candidates, 3);
  const samples = await interleave(candidates, rounds);
  const plain = median(samples["env true, as it is"] ?? []);
  const rows = Object.entries(samples).map(([candidate, times]): Row => {
    const added = candidate.startsWith("the same") ? median(times) - plain : undefined;
    return {
      name: candidate,
      values: { median: median(times), p90: quantile(times, 0.9), added },
      goals: added === undefined ? [] : [atMost(added, addedMsMax, "time")],
    };
  });
  const columns = [
    { key: "median", unit: "time" },
    { key: "p90", unit: "time" },
    { key: "added", unit: "time" },
  ] as const;
  return { title: `A command inside the lock, ${files} files in ${packages} packages`, columns, rows };
}

function fill(root: string): void {
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  for (let at = 0; at < files; at += 1)
    write(`packages/p${at % packages}/src/d${at % 7}/f${at}.ts`, `${at}\n`);
  for (let at = 0; at < packages; at += 1) {
    write(`packages/p${at}/package.json`, "{}\n");
    write(`packages/p${at}/node_modules/x/index.js`, "1\n");
  }
  write(".gitignore", "node_modules\n");
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=b", "-c", "user.email=b@localhost", ...words], { cwd: root });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "base");
}
