import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { LandRepository } from "./land-repository.ts";
import { type PlannedOptions, planned, readRun } from "./planned-repository.ts";
import type { CommandRun } from "./run-command.ts";

/** Records its calls; knows a pull request once it has created one. */
const ghProgram = `#!/bin/sh
here=$(dirname "$0")
echo "$@" >> "$here/calls"
case "$2" in
  view) test -e "$here/made" || exit 1; echo https://127.0.0.1/pull/1 ;;
  create) cat > /dev/null; touch "$here/made"; echo https://127.0.0.1/pull/1 ;;
  edit) cat > /dev/null ;;
esac
`;

interface HookEvent {
  readonly task: string;
  readonly data: {
    readonly point: string;
    readonly hooks: readonly { readonly hook: string; readonly status: string; readonly message: string }[];
  };
}

export interface HookedRepository extends LandRepository {
  readonly env: Readonly<Record<string, string>>;
  /** Runs the plan to its end. */
  conduct(...words: string[]): Promise<ReturnType<typeof resultOf>>;
  /** The events of a type in the audit log. */
  events<Event = { readonly data: Readonly<Record<string, unknown>> }>(
    type: string,
  ): Promise<readonly Event[]>;
  /** `before_submit create_pr SKIP`, in the order in which they ran. */
  hooksRun(): Promise<readonly string[]>;
  ghCalls(): readonly string[];
  remote(...words: string[]): string;
}

/** A planned repository with a remote and a `gh`. */
export function hooked(options: PlannedOptions): HookedRepository {
  const repository = planned(options);
  const { git, path, run } = repository;
  const [remoteFolder, bin] = [join(path, ".git/remote.git"), join(path, ".git/bin")];
  execFileSync("git", ["init", "-q", "--bare", remoteFolder]);
  git("remote", "add", "origin", remoteFolder);
  repository.write(".git/bin/gh", ghProgram);
  chmodSync(join(bin, "gh"), 0o755);
  const env = { PATH: `${bin}:${process.env.PATH}` };
  const events = async <Event>(type: string) => {
    const { stdout } = await run(["audit", "list", "--json"]);
    const all = JSON.parse(stdout) as readonly (Event & { readonly type: string })[];
    return all.filter((one) => one.type === type);
  };
  return {
    ...repository,
    env,
    events,
    conduct: async (...words) => resultOf(await run(["run", ...words, "--json"], { env })),
    hooksRun: async () =>
      (await events<HookEvent>("task.hooks")).flatMap(({ data: { point, hooks } }) =>
        hooks.map(({ hook, status }) => `${point} ${hook} ${status}`),
      ),
    ghCalls: () => {
      const file = join(bin, "calls");
      return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
    },
    remote: (...words) => git("-C", remoteFolder, ...words),
  };
}

export function resultOf({ status, stdout, stderr }: CommandRun) {
  expect(stdout, stderr).not.toBe("");
  return { status, stderr, ...readRun(stdout) };
}

/** A program for the adapter `command`: `body` has its `input`, and gives an `answer` of some status. */
export function program(body: string): string {
  return `import { existsSync, readFileSync, writeFileSync } from "node:fs";
const input = JSON.parse(readFileSync(0, "utf8"));
const answer = (status, findings = []) => console.log(JSON.stringify({
  status,
  summary: "looked at " + input.task.id,
  artifacts: { findings, notes: [], commands_to_run: [] },
  gates: { meets_definition_of_done: status === "OK", security_concerns: [] },
  next: { recommended_agent: "Orchestrator", recommended_task_id: "same", reason: "x" },
}));
${body}
`;
}

/** The beginning of a configuration, followed by its scripted agents. */
export const programAgent = (name: string, role = "Coder") =>
  `  ${name}: { adapter: command, role: ${role}, run: [node, agents/${name}.mjs] }\n`;
