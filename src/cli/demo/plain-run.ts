import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentEnd } from "../../clients/agent.ts";
import { scriptAgent } from "../../clients/script/run.ts";
import { field } from "../../core/values/fields.ts";
import { git, tryGit } from "../../workspace/git/run-git.ts";
import { answerWords } from "../run-view/run-watcher.ts";
import { halfWay } from "./agents.ts";
import type { DemoAgent, Spent } from "./demo-agent.ts";
import { makeRepository } from "./demo-folder.ts";
import { plainEnvironment } from "./plain-environment.ts";
import { shop } from "./shop.ts";

/** How long the plain run waits for an agent that gives no answer. */
const patienceMs = 3000;

export interface PlainRun {
  readonly repository: string;
  readonly log: string;
  /** By task. */
  readonly spent: ReadonlyMap<string, Spent>;
  /** The tasks whose branch is part of main. */
  readonly merged: ReadonlySet<string>;
}

interface Setting {
  /** The folder of the demo. */
  readonly folder: string;
  /** The folder of the agents' scripts. */
  readonly scripts: string;
  readonly stop: AbortSignal;
  onLine(line: string): void;
}

/** The usual way without Lockstep: a worktree and a branch for each agent, answers are trusted, branches merged one by one. */
export async function runPlain(agents: readonly DemoAgent[], setting: Setting): Promise<PlainRun> {
  const { folder } = setting;
  const log = join(folder, "plain.log");
  const tell = (line: string) => {
    appendFileSync(log, `${line}\n`);
    setting.onLine(line);
  };
  const repository = await makeRepository(join(folder, "plain"), shop);
  for (const { task } of agents)
    await git(repository, ["worktree", "add", "--quiet", "-b", task, join(folder, "worktrees", task)]);
  const works = await Promise.all(agents.map((agent) => work(agent, { ...setting, tell })));
  const merged = new Set<string>();
  for (const [at, { task }] of agents.entries()) {
    const message = works[at]?.message ?? task;
    if (await commitAndMerge({ repository, worktree: join(folder, "worktrees", task), task, message, tell }))
      merged.add(task);
  }
  const spent = new Map(agents.map(({ task }, at) => [task, works[at]?.spent ?? { seconds: 0, tokens: 0 }]));
  return { repository, log, spent, merged };
}

interface Work {
  readonly message: string;
  readonly spent: Spent;
}

/** Runs an agent. One that gives no answer is stopped after a while, and its files are used as they are. */
async function work(
  { task }: DemoAgent,
  { folder, scripts, stop, tell }: Setting & { tell(line: string): void },
): Promise<Work> {
  const started = performance.now();
  let tokens = 0;
  const client = scriptAgent({ script: join(scripts, `${task}.yaml`), root: scripts });
  const run = client.start({
    input: { attempt: 1 },
    ...{ prompt: "", sandboxed: false },
    wrap: (command, env) => ({ command, env }),
    outside: (path) => path,
    folder: join(folder, "worktrees", task),
    env: plainEnvironment(),
    msMax: 10 * patienceMs,
    onEvent: (event) => {
      if (event.type === "usage") tokens += event.tokens;
      if (event.type === "said") tell(`${task}: ${answerWords(event.text) ?? event.text}`);
      if (event.type === "said" && event.text === halfWay) end("its machine goes down");
    },
  });
  let ending = false;
  const end = (why: string) => {
    if (ending) return;
    ending = true;
    tell(`${task}: ${why}`);
    void run.stop();
  };
  const patience = setTimeout(() => end("no answer: stopped by hand, its files are kept"), patienceMs);
  const onStop = () => end("stopped");
  stop.addEventListener("abort", onStop);
  try {
    const ended = await run.ended;
    stop.throwIfAborted();
    const seconds = Math.round((performance.now() - started) / 1000);
    return { message: messageOf(task, ended), spent: { seconds, tokens } };
  } finally {
    clearTimeout(patience);
    stop.removeEventListener("abort", onStop);
  }
}

/** The commit message is the agent's own summary. */
function messageOf(task: string, end: AgentEnd): string {
  const summary = end.how === "done" ? field(end.answer, "summary") : undefined;
  return typeof summary === "string" ? `${task}: ${summary}` : `${task}: as far as it got`;
}

interface Merging {
  readonly repository: string;
  readonly worktree: string;
  readonly task: string;
  readonly message: string;
  tell(line: string): void;
}

/** On a conflict the newer branch wins; if that does not help, the branch is left out. */
async function commitAndMerge({ repository, worktree, task, message, tell }: Merging): Promise<boolean> {
  await git(worktree, ["add", "--all"]);
  const committed = await tryGit(worktree, ["commit", "--quiet", "--message", message]);
  if (committed.exit !== 0) tell(`${task}: nothing to commit`);
  const merge = async (...words: string[]) => {
    tell(`$ git merge ${[...words, task].join(" ")}`);
    const { exit, stdout } = await tryGit(repository, [
      ...["merge", "--no-ff", "--quiet", "--message", `Merge ${task}`],
      ...words,
      task,
    ]);
    if (exit !== 0) tell(stdout.toString().trim());
    if (exit !== 0) await git(repository, ["merge", "--abort"]);
    return exit === 0;
  };
  return (await merge()) || (await merge("-X", "theirs"));
}
