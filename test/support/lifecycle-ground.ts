import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { configSchema } from "../../src/contract/config.ts";
import { branchOf } from "../../src/core/names/ref-names.ts";
import { type ConfiguredHook, type HookContext, hookPoints } from "../../src/hooks/lifecycle/hook.ts";
import type { HookPorts } from "../../src/hooks/lifecycle/hook-ports.ts";
import { bringBase } from "../../src/workspace/checkouts/bring-base.ts";
import type { Checkout } from "../../src/workspace/checkouts/checkout.ts";
import { collectWork } from "../../src/workspace/checkouts/collect-work.ts";
import { neutralGit } from "../../src/workspace/checkouts/neutral-git.ts";
import { pushBranch } from "../../src/workspace/git/push-branch.ts";
import { readRef } from "../../src/workspace/git/refs.ts";
import { runProcess } from "../../src/workspace/process/run-process.ts";
import { type AgentRepository, agentIn, agentRepository } from "./agent-checkout.ts";

/** Records its calls; knows a pull request once it has created one, until that is closed. */
const ghProgram = `#!/bin/sh
here=$(dirname "$0")
echo "$@" >> "$here/calls"
case "$2" in
  view) test -e "$here/made" || exit 1; test -e "$here/closed" || echo https://127.0.0.1/pull/1 ;;
  create) cat > "$here/body"; rm -f "$here/closed"; touch "$here/made"; echo https://127.0.0.1/pull/1 ;;
esac
`;

export interface LifecycleGround extends AgentRepository {
  readonly checkout: Checkout;
  readonly agent: ReturnType<typeof agentIn>;
  readonly context: HookContext;
  readonly ports: HookPorts;
  /** The calls of `gh`, one per line. */
  ghCalls(): string[];
  /** Git in the remote. */
  remote(...words: string[]): string;
  /** Collects the current content of the checkout, as it is done before hooks run. */
  collect(): Promise<string>;
  /** The work as the hooks get it. */
  work(): string;
  /** A commit of a person on the base. */
  commitOnBase(file: string, text: string): void;
}

/** A repository with a remote and a `gh`, and a checkout in which an agent has changed `a.txt`. */
export async function lifecycleGround(files?: Readonly<Record<string, string>>): Promise<LifecycleGround> {
  const repository = agentRepository({ "a.txt": "a\n", ...files });
  const { git, path } = repository;
  const [remoteFolder, bin] = [join(path, ".git/remote.git"), join(path, ".git/bin")];
  execFileSync("git", ["init", "-q", "--bare", remoteFolder]);
  git("remote", "add", "origin", remoteFolder);
  repository.write(".git/bin/gh", ghProgram);
  repository.write(".git/bin/calls", "");
  chmodSync(join(bin, "gh"), 0o755);
  const { checkout } = await repository.open();
  const agent = agentIn(checkout);
  agent.write("a.txt", "agent\n");
  const work = await openWork(checkout, path);
  return {
    ...repository,
    checkout,
    agent,
    collect: work.collect,
    work: work.commit,
    context: contextFor(checkout),
    ports: portsFor(checkout, { root: path, bin, work }),
    ghCalls: () => readFileSync(join(bin, "calls"), "utf8").split("\n").filter(Boolean),
    remote: (...words) => git("-C", remoteFolder, ...words),
    commitOnBase: (file, text) => {
      repository.write(file, text);
      git("add", "-A");
      git("commit", "-qm", `base ${file}`);
    },
  };
}

function contextFor({ folder, task }: Checkout): HookContext {
  return {
    hook_point: "before_submit",
    task_id: task,
    task_title: "Round prices",
    task_path: null,
    task_type: null,
    branch_name: branchOf(task),
    base_branch: "main",
    worktree: folder,
    agent_name: "coder",
    commits_count: 1,
    extra: {},
  };
}

/** The work of a checkout, as the run represents it. */
async function openWork(checkout: Checkout, root: string) {
  let now = { checkout, commit: "" };
  const collect = async () => {
    const collected = await collectWork(now.checkout, { subject: "work" });
    if (collected === "unchanged") throw new Error("there is no work");
    now = { ...now, commit: collected.commit };
    return collected.commit;
  };
  await collect();
  const rebase: HookPorts["rebase"] = async (branch) => {
    const onto = await readRef(root, `refs/heads/${branch}`);
    if (onto === undefined) return { error: `there is no branch \`${branch}\`` };
    const gitInside = (words: readonly string[]) => neutralGit(checkout.folder, words);
    const brought = await bringBase(now.checkout, { work: now.commit, onto, subject: "work", gitInside });
    now = { commit: now.commit, ...brought };
    return { ...brought, onto };
  };
  return { collect, rebase, commit: () => now.commit };
}

interface Places {
  readonly root: string;
  readonly bin: string;
  readonly work: Awaited<ReturnType<typeof openWork>>;
}

function portsFor({ folder }: Checkout, { root, bin, work }: Places): HookPorts {
  const env = { PATH: `${bin}:${process.env.PATH}` };
  return {
    integrate: "pr",
    commit: work.commit,
    rebase: work.rebase,
    push: (push) => pushBranch(root, push),
    gh: async (words, input) => {
      const command = ["gh", ...words];
      const { exit, tail } = await runProcess({ command, cwd: root, env, input, msMax: 10_000 });
      if (exit === null && tail.includes("cannot be started")) return undefined;
      return { exit, last: tail.trim().split("\n").at(-1) ?? "" };
    },
    top: {
      has: (name) => existsSync(join(folder, name)),
      text: (name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : undefined),
    },
    prove: async (command) => {
      const run = { command: ["sh", "-c", command], cwd: folder, env: plainEnv(), msMax: 60_000 };
      const { exit, tail: output } = await runProcess(run);
      return { exit, output };
    },
    review: async (name) => ({ approved: true, reason: `${name} is fine` }),
    runProgram: runProgramIn(root),
  };
}

/** Real processes in a folder. */
export function runProgramIn(folder: string): HookPorts["runProgram"] {
  return (run) => runProcess({ ...run, cwd: folder, env: plainEnv(), streams: "apart" });
}

function plainEnv(): Record<string, string> {
  return { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" };
}

/** Hooks in the form of a configuration with this list. */
export function configured(...list: unknown[]): readonly ConfiguredHook[] {
  const { hooks } = configSchema.parse({ unknown_hooks: "warn", hooks: { [hookPoints[0]]: list } });
  return hooks.before_submit ?? [];
}
