import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "../test/support/temporary-folder.ts";
import { builtCommand } from "./built-command.ts";
import { childEnvironment } from "./child-environment.ts";
import { instantAnswer } from "./plan-repository.ts";
import { atMost, type Options, type Section } from "./section.ts";
import { interleave, median, nowMs } from "./statistics.ts";

const ratioMax = 2;
const files = 40;
/** The first action of the agent is to write down the time. */
const agent = `date +%s%N > started.txt\necho '${instantAnswer}'\n`;

export const name = "do";

/** The time from Enter until the agent starts, compared with a plain worktree and a plain Node. */
export async function measure({ quick }: Options): Promise<readonly Section[]> {
  using lockstep = builtCommand();
  using repository = smallRepository();
  let made = 0;
  const next = () => {
    made += 1;
    return String(made);
  };
  const startAgent = () => agentStart(repository.path, lockstep.path, next());
  startAgent(); // the first one creates what later ones find
  const samples = await interleave(
    {
      do: startAgent,
      worktree: () => time("git", ["worktree", "add", "--quiet", `../worktree-${next()}`], repository.path),
      node: () => time(process.execPath, ["-e", "0"], repository.path),
    },
    quick ? 5 : 15,
  );
  const [taken, worktree, node] = ["do", "worktree", "node"].map((key) => median(samples[key] ?? [])) as [
    number,
    number,
    number,
  ];
  const ratio = taken / (worktree + node);
  const columns = [
    { key: "to the agent's start", unit: "time" },
    { key: "git worktree add", unit: "time" },
    { key: "node -e 0", unit: "time" },
    { key: "÷ both", unit: "ratio" },
  ] as const;
  const values = {
    "to the agent's start": taken,
    "git worktree add": worktree,
    "node -e 0": node,
    "÷ both": ratio,
  };
  const row = { name: `do, ${files} files`, values, goals: [atMost(ratio, ratioMax, "ratio")] };
  return [{ title: "From Enter to the agent's start, median", columns, rows: [row] }];
}

/** In a folder of its own, so that worktrees next to it are removed with it. */
function smallRepository(): TemporaryFolder {
  const folder = temporaryFolder({
    "main/agent.sh": agent,
    "main/started.txt": "not yet\n",
    "main/.lockstep/config.yaml": "agents:\n  instant: { adapter: command, run: [sh, agent.sh] }\n",
  });
  for (let at = 0; at < files; at += 1) folder.write(join("main", "src", `${at}.txt`), `${at}\n`);
  const path = join(folder.path, "main");
  const git = (...words: string[]) => execFileSync("git", words, { cwd: path, env: childEnvironment() });
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Bench");
  git("config", "user.email", "bench@localhost");
  git("add", "--all");
  git("commit", "--quiet", "--message=base");
  return { ...folder, path, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

/** The work is merged, so the repository has the time at which the agent started. */
function agentStart(repository: string, lockstep: string, number: string): number {
  const words = ["do", `Start ${number}`, "--scope", "started.txt", "--check", "true"];
  const env = { ...childEnvironment(), XDG_STATE_HOME: join(repository, ".git", "state") };
  const startMs = Date.now();
  const { status, stdout, stderr, error } = spawnSync(lockstep, words, { cwd: repository, env });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`\`do\` ended with ${status}: ${stdout}${stderr}`);
  return Number(readFileSync(join(repository, "started.txt"), "utf8")) / 1e6 - startMs;
}

function time(program: string, words: readonly string[], cwd: string): number {
  const start = nowMs();
  execFileSync(program, words, { cwd, env: childEnvironment() });
  return nowMs() - start;
}
