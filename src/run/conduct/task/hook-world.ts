import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refsOf } from "../../../core/names/ref-names.ts";
import { outputOf } from "../../../core/proof/check-record.ts";
import { commandsIn } from "../../../core/proof/criterion.ts";
import type { HookPorts, ProgramEnd, Rebased } from "../../../hooks/lifecycle/hook-ports.ts";
import type { Gh } from "../../../hooks/lifecycle/open-pull-request.ts";
import { bringBase } from "../../../workspace/checkouts/bring-base.ts";
import type { Checkout } from "../../../workspace/checkouts/checkout.ts";
import type { Collected } from "../../../workspace/checkouts/collect-work.ts";
import { neutralGit } from "../../../workspace/checkouts/neutral-git.ts";
import { removeFolder } from "../../../workspace/files/remove-folder.ts";
import { pushBranch } from "../../../workspace/git/push-branch.ts";
import { readDiff } from "../../../workspace/git/read-diff.ts";
import { readTrees } from "../../../workspace/git/read-tree.ts";
import { readRef } from "../../../workspace/git/refs.ts";
import { runProcess } from "../../../workspace/process/run-process.ts";
import { checkPolicy } from "../../../workspace/sandbox/check-policy.ts";
import type { RunContext, RunTask } from "../../attempt/run-context.ts";
import type { Workplace } from "../../attempt/workplace.ts";
import { findLeak } from "../../landing/chain/find-leak.ts";
import { openProver } from "../../landing/checks/open-prover.ts";
import { projectChecks } from "../../landing/checks/prove-checks.ts";
import { reviewFor, type Waiting } from "../../review/review-work.ts";
import { collect, makerTrailers } from "./hand-in.ts";
import { showBranch } from "./work-branch.ts";

export interface HookedWork {
  readonly task: RunTask;
  readonly commit: string;
  /** The agent's workplace, while it is open. */
  readonly place?: Workplace;
  readonly stop: AbortSignal;
}

const ghMsMax = 60_000;
const gitMsMax = 60_000;

/** What lifecycle hooks can do in a run: rebase, push, run programs, ask reviewers. Keeps the work as they leave it. */
export class HookWorld {
  readonly #context: RunContext;
  readonly #of: HookedWork;
  #commit: string;
  #checkout: Checkout | undefined;
  /** The new work, if a hook or the agent changed it. */
  collected: Collected | undefined;
  /** A reviewer was asked and gave no verdict, so the work waits and is not rejected. */
  waiting: Waiting = { waiting: false };

  constructor(context: RunContext, of: HookedWork) {
    this.#context = context;
    this.#of = of;
    this.#commit = of.commit;
    this.#checkout = of.place?.checkout;
  }

  /** Collects what the agent has changed since. */
  async collectAgain(): Promise<void> {
    const { task, place } = this.#of;
    if (place === undefined || this.#checkout === undefined) return;
    const collected = await collect(this.#context, { task, place: { ...place, checkout: this.#checkout } });
    if (collected === "unchanged") throw new Error("the agent has undone all its work");
    this.#take(collected);
  }

  async ports(): Promise<HookPorts> {
    const { config, repository } = this.#context;
    const base = (await this.#context.atBase()).repository.baseCommit;
    const [tree] = await readTrees(repository.root, [base]);
    return {
      integrate: config.integrate,
      commit: () => this.#commit,
      rebase: (branch) => this.#rebase(branch),
      push: async (push) => (await this.#unfit(base, push.commit)) ?? pushBranch(repository.root, push),
      gh: ghIn(repository.root),
      // Read from the base, so that the work cannot change how it is tested.
      top: { has: (name) => tree?.idOf(name) !== undefined, text: (name) => tree?.text(name) },
      prove: (command) => this.#prove(command),
      review: (name) => this.#review(name),
      runProgram: (run) => this.#runProgram(run),
    };
  }

  async #rebase(branch: string): Promise<Rebased> {
    const { repository, dependencies } = this.#context;
    const { task, place } = this.#of;
    if (place === undefined || this.#checkout === undefined)
      return { error: "the agent's checkout is closed: use this hook before the submission" };
    const isBase = branch === repository.base;
    const onto = await readRef(repository.root, isBase ? repository.baseRef : `refs/heads/${branch}`);
    if (onto === undefined) return { error: `there is no branch \`${branch}\`` };
    const brought = await bringBase(this.#checkout, {
      work: this.#commit,
      onto,
      subject: `${task.plan.id}: ${task.plan.title}`,
      trailers: await makerTrailers(this.#context, task),
      gitInside: (words) => gitInside(place, words),
    });
    this.#checkout = brought.checkout;
    if (brought.how === "up-to-date") return { how: "up-to-date", onto };
    const missing = await dependencies.install(onto, brought.checkout.folder);
    if (missing !== undefined) return { error: `the dependencies cannot be installed: ${missing}` };
    if (brought.how === "conflicts") return { how: "conflicts", onto, files: brought.files };
    const { commit } = brought;
    const { work: ref } = refsOf(brought.checkout);
    const nested = this.collected?.nested ?? [];
    this.#take({ commit, ref, changed: await readDiff(repository.root, onto, commit), nested });
    await showBranch(this.#context, task, commit);
    return { how: "rebased", onto };
  }

  /** A push cannot be undone, so the commit must contain no secret and pass its checks. */
  async #unfit(base: string, commit: string): Promise<{ readonly error: string } | undefined> {
    const { engine, repository, config } = this.#context;
    const leak = await findLeak(engine, { root: repository.root, from: base, to: commit });
    if (leak !== undefined) return { error: leak.reason };
    const own = commandsIn(this.#of.task.plan.acceptance_checks);
    const project = await projectChecks(repository.root, base, config.checks.default);
    for (const command of new Set([...own, ...project.map((check) => check.command)])) {
      const run = await this.#prove(command);
      if ("error" in run) return run;
      if (run.exit !== 0) return { error: `\`${command}\` fails on the work (exit ${run.exit})` };
    }
    return undefined;
  }

  #take(collected: Collected): void {
    this.collected = collected;
    this.#commit = collected.commit;
  }

  async #prove(command: string) {
    using prover = await openProver(this.#context);
    const proven = await prover.run(this.#commit, command);
    return "error" in proven ? proven : { exit: proven.run.exit, output: outputOf(proven.run) };
  }

  async #review(name: string) {
    const { task, stop } = this.#of;
    const reviewed = await reviewFor(this.#context, task, { name, commit: this.#commit, stop });
    if (reviewed.ok) return { approved: true, reason: reviewed.reviews[0]?.summary ?? "" };
    const { refused, waiting, resting } = reviewed;
    this.waiting = { waiting, ...(resting === undefined ? {} : { resting }) };
    const { reason, details } = refused;
    return { approved: false, reason, findings: (details.findings ?? []) as readonly string[] };
  }

  /** Runs a hook program in the main checkout. It can read the agent's checkout and write only temporary files. */
  async #runProgram({ command, input, msMax, onOutput }: Parameters<HookPorts["runProgram"]>[0]) {
    const { repository, config, sandbox } = this.#context;
    const { root, commonFolder } = repository;
    const temporary = mkdtempSync(join(tmpdir(), "lockstep-hook-"));
    try {
      const checkout = this.worktree;
      const { home, env_pass: passed } = config.workspace;
      const policy = checkPolicy({ root, commonFolder, checkout, temporary, home }, "check");
      const env = Object.fromEntries(passed.flatMap((name) => [[name, process.env[name] ?? ""]]));
      const readOnly = [...policy.readOnly, checkout].filter(existsSync);
      const wrapped = sandbox.wrap(command, { ...policy, writable: [], readOnly }, { cwd: root, env });
      const run = { ...wrapped, cwd: root, input, msMax, onOutput, streams: "apart" as const };
      return (await runProcess(run)) satisfies ProgramEnd;
    } finally {
      removeFolder(temporary);
    }
  }

  get worktree(): string {
    const folder = this.#checkout?.folder;
    return folder !== undefined && existsSync(folder) ? folder : this.#context.repository.root;
  }
}

/** The configuration in an agent's git folder can make git run programs: they run in the sandbox, or not at all. */
async function gitInside({ sandboxed, wrap, checkout: { folder } }: Workplace, words: readonly string[]) {
  if (!sandboxed) return neutralGit(folder, words);
  const never = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];
  const { command, env } = wrap(["git", "-C", folder, ...never, ...words], { PATH: process.env.PATH ?? "" });
  return runProcess({ command, env, cwd: folder, msMax: gitMsMax });
}

function ghIn(cwd: string): Gh {
  const known = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const env = { ...Object.fromEntries(known), GH_PROMPT_DISABLED: "1", NO_COLOR: "1" };
  return async (words, input) => {
    const run = { command: ["gh", ...words], cwd, env, input, msMax: ghMsMax };
    const { exit, tail, outputBytes } = await runProcess(run);
    if (exit === null && outputBytes === 0 && tail.includes("cannot be started")) return undefined;
    return { exit, last: lastLine(tail) };
  };
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
