import type { Config } from "../contract/config.ts";
import type { Judgement } from "../core/proof/weakening.ts";
import type { Evidence } from "../core/tasks/evidence.ts";
import { type JudgedCheck, judgeChange } from "../proof/judgement/judge-change.ts";
import { Prover } from "../proof/prover.ts";
import type { Reuse } from "../proof/reuse.ts";
import type { Project } from "../workspace/find-project.ts";
import { readDiff } from "../workspace/git/read-diff.ts";

type Failed = { readonly error: string };

/** Commands on commits, for those who do their own merging. */
export interface CommitProver {
  prove(commit: string, command: string): Promise<Evidence | Failed>;
  judge(base: string, commit: string, commands: readonly string[]): Promise<Judgement | Failed>;
}

export function commitProver({
  project,
  config,
  reuse,
}: {
  readonly project: Project;
  readonly config: Config;
  readonly reuse: Reuse;
}): CommitProver {
  const { place, commonFolder } = project;
  const root = place.realRoot ?? place.root;
  const open = (folder: string) => {
    const { setup, include, env_pass: envPass, home } = config.workspace;
    const options = { root, commonFolder: folder, setup, include, envPass, home };
    return Prover.open({ ...options, sandbox: config.sandbox, reuse });
  };
  const prove = async (commit: string, command: string) => {
    if (commonFolder === undefined) return { error: "there is no git repository to take the commit from" };
    if (!/^[0-9a-fA-F]{4,64}$/.test(commit)) return { error: `\`${commit}\` is not a commit id` };
    using prover = await open(commonFolder);
    const proven = await prover.run(commit, command);
    return "error" in proven ? proven : { command, tree: proven.tree, ...proven.run };
  };
  const judge = async (base: string, commit: string, commands: readonly string[]) => {
    if (commonFolder === undefined) return { error: "there is no git repository to take the commit from" };
    using prover = await open(commonFolder);
    const checks: JudgedCheck[] = [];
    let tree = "";
    for (const command of commands) {
      const before = await prover.run(base, command);
      const after = await prover.run(commit, command);
      if ("error" in after) return after;
      ({ tree } = after);
      // What fails there, or cannot run, verified nothing.
      if (!("error" in before) && before.run.exit === 0) checks.push({ command, before, after });
    }
    const changed = (await readDiff(root, base, commit)).map(({ path }) => path);
    return judgeChange({
      ...{ root, place, prover, base, commit, tree, checks, later: [], mayChange: [] },
      ...{ tests: config.tests, change: { base, changed }, onProgress: () => {} },
    });
  };
  return { prove, judge };
}
