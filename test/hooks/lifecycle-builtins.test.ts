import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { builtinHooks } from "../../src/hooks/lifecycle/builtin-hooks.ts";
import type { HookContext } from "../../src/hooks/lifecycle/hook.ts";
import type { HookPorts } from "../../src/hooks/lifecycle/hook-ports.ts";
import { type LifecycleGround, lifecycleGround } from "../support/lifecycle-ground.ts";
import { linesOf } from "../support/loaded-config.ts";

/** One built-in hook alone. */
function run(
  name: string,
  { context, ports }: LifecycleGround,
  more: { context?: Partial<HookContext>; ports?: Partial<HookPorts>; parameters?: unknown } = {},
) {
  const hook = builtinHooks.get(name);
  if (hook === undefined) throw new Error(`no ${name}`);
  return hook({ ...context, ...more.context }, { ...ports, ...more.ports }, more.parameters ?? null);
}

describe("the registry of built-in hooks", () => {
  it("has exactly the names that a configuration may use", async () => {
    const names = [...builtinHooks.keys()];
    const [line] = await linesOf("hooks:\n  before_submit: [lint]\n");
    expect(line).toContain(
      `expected one of ${names.map((one) => `\`${one}\``).join(", ")}, a map with \`command\`, or`,
    );
    expect(line).toContain("`unknown_hooks: warn`");
  });

  it("knows their names in other configurations; only the merge itself is Lockstep's", async () => {
    using ground = await lifecycleGround();
    expect(await run("rebase_on_base", ground)).toMatchObject({ status: "SKIP" });
    expect(await run("merge_pr", ground)).toMatchObject({
      status: "SKIP",
      message: expect.stringMatching(/merges proven work itself/),
    });
  });
});

describe("rebase_on_main", () => {
  it("skips a branch that is up to date with its base", async () => {
    using ground = await lifecycleGround();
    const before = ground.work();
    expect(await run("rebase_on_main", ground)).toMatchObject({
      status: "SKIP",
      message: "`lockstep/T-1` is up to date with `main`",
    });
    expect(ground.work()).toBe(before);
  });

  it("fetches the base from the repository and puts the branch on top of it", async () => {
    using ground = await lifecycleGround();
    ground.agent.write("new.txt", "agent\n");
    await ground.collect();
    ground.commitOnBase("b.txt", "b\n");
    const base = ground.git("rev-parse", "main");
    expect(await run("rebase_on_main", ground)).toEqual({
      status: "SUCCESS",
      message: "rebased on `main`",
      context: { base_commit: base },
    });
    expect(ground.git("rev-parse", `${ground.work()}~1`)).toBe(base);
    expect(ground.git("diff", "--name-only", base, ground.work())).toBe("a.txt\nnew.txt");
  });

  it("shows the agent the newer base, and only its own changes as changes", async () => {
    using ground = await lifecycleGround();
    ground.agent.write("new.txt", "agent\n");
    await ground.collect();
    ground.commitOnBase("b.txt", "b\n");
    await run("rebase_on_main", ground);
    expect(ground.agent.run("cat", "b.txt")).toBe("b");
    expect(ground.agent.git("status", "--porcelain", "--branch")).toBe(
      "## lockstep/T-1\n M a.txt\n?? new.txt",
    );
    ground.agent.write("a.txt", "agent again\n");
    const again = await ground.collect();
    expect(ground.git("diff", "--name-only", "main", again)).toBe("a.txt\nnew.txt");
  });

  it("runs nothing that an agent has configured in its checkout", async () => {
    using ground = await lifecycleGround({ ".gitattributes": "*.txt filter=own merge=own\n" });
    const touch = `touch ${ground.checkout.temporary}/ran; cat`;
    for (const key of ["filter.own.smudge", "filter.own.clean", "merge.own.driver", "core.fsmonitor"])
      ground.agent.git("config", key, touch);
    ground.agent.write(".git/hooks/post-checkout", `#!/bin/sh\n${touch}\n`);
    ground.agent.git("config", "core.hooksPath", ".git/hooks");
    ground.commitOnBase("b.txt", "b\n");
    expect(await run("rebase_on_main", ground)).toMatchObject({ status: "SUCCESS" });
    expect(existsSync(join(ground.checkout.temporary, "ran"))).toBe(false);
  });

  it("uses the task's base, with any name", async () => {
    using ground = await lifecycleGround();
    ground.git("checkout", "-q", "-b", "release/1.2");
    ground.commitOnBase("b.txt", "b\n");
    const { message } = await run("rebase_on_main", ground, { context: { base_branch: "release/1.2" } });
    expect(message).toBe("rebased on `release/1.2`");
    expect(ground.git("rev-parse", `${ground.work()}~1`)).toBe(ground.git("rev-parse", "release/1.2"));
  });

  it("asks the agent to resolve conflicts in the named files, and keeps its work", async () => {
    using ground = await lifecycleGround({ "dir/it's \u00e9.txt": "x\n" });
    ground.agent.write("dir/it's \u00e9.txt", "agent\n");
    const before = await ground.collect();
    ground.commitOnBase("dir/it's \u00e9.txt", "person\n");
    const result = await run("rebase_on_main", ground);
    expect(result).toMatchObject({
      status: "FAILURE",
      message: `the rebase on \`main\` conflicts in "dir/it's \u00e9.txt"`,
      context: { conflicts: ["dir/it's \u00e9.txt"] },
    });
    expect(result.remediation_prompt).toContain(`- "dir/it's \u00e9.txt"\n`);
    expect(ground.work()).toBe(before);
    expect(ground.git("show", `refs/lockstep/none/T-1/1:dir/it's \u00e9.txt`)).toBe("agent");
    const conflicted = ground.agent.run("cat", "dir/it's \u00e9.txt");
    expect(conflicted).toMatch(/^<{7} .*\nperson\n={7}\nagent\n>{7} /);
    expect(ground.agent.run("cat", "a.txt")).toBe("agent");
  });

  it("still fails while conflict markers remain, also for the next attempt", async () => {
    using ground = await lifecycleGround();
    ground.commitOnBase("a.txt", "person\n");
    await run("rebase_on_main", ground);
    await ground.collect();
    expect(await run("rebase_on_main", ground)).toMatchObject({
      status: "FAILURE",
      context: { conflicts: ["a.txt"] },
    });
    ground.agent.write("a.txt", "both\n=======\n");
    await ground.collect();
    expect(await run("rebase_on_main", ground)).toMatchObject({ status: "SKIP" });
    expect(ground.git("diff", "--stat", "main", ground.work())).toContain("a.txt | 3 ++-");
  });

  it("fails without a prompt if the base does not exist", async () => {
    using ground = await lifecycleGround();
    const result = await run("rebase_on_main", ground, { context: { base_branch: "gone" } });
    expect(result).toEqual({
      status: "FAILURE",
      message: "`lockstep/T-1` cannot be rebased on `gone`: there is no branch `gone`",
      context: {},
    });
  });
});

describe("create_pr", () => {
  it("pushes the branch, opens a pull request and returns its address", async () => {
    using ground = await lifecycleGround();
    const head = ground.work();
    expect(await run("create_pr", ground)).toEqual({
      status: "SUCCESS",
      message: "opened https://127.0.0.1/pull/1",
      context: { pushed: head, pr_url: "https://127.0.0.1/pull/1" },
    });
    expect(ground.remote("rev-parse", "lockstep/T-1")).toBe(head);
    expect(ground.ghCalls().at(-1)).toBe(
      "pr create --base main --head lockstep/T-1 --title [T-1] Round prices --body-file -",
    );
  });

  it("finds an existing pull request", async () => {
    using ground = await lifecycleGround();
    await run("create_pr", ground);
    expect(await run("create_pr", ground)).toMatchObject({
      status: "SUCCESS",
      message: "already open: https://127.0.0.1/pull/1",
      context: { pr_url: "https://127.0.0.1/pull/1" },
    });
    expect(ground.ghCalls().filter((call) => call.startsWith("pr create"))).toHaveLength(1);
  });

  it("opens a new one if the last one was closed", async () => {
    using ground = await lifecycleGround();
    await run("create_pr", ground);
    ground.write(".git/bin/closed", "");
    expect(await run("create_pr", ground)).toMatchObject({ message: "opened https://127.0.0.1/pull/1" });
  });

  it("replaces its own earlier push after a rebase, and nothing else", async () => {
    using ground = await lifecycleGround();
    const first = await run("create_pr", ground);
    ground.commitOnBase("b.txt", "b\n");
    await run("rebase_on_main", ground);
    expect(await run("create_pr", ground)).toMatchObject({
      status: "FAILURE",
      message: expect.stringMatching(/cannot be pushed/),
    });
    const again = await run("create_pr", ground, { context: { extra: first.context } });
    expect(again).toMatchObject({ status: "SUCCESS" });
    expect(ground.remote("rev-parse", "lockstep/T-1")).toBe(ground.work());

    const theirs = ground.git("rev-parse", "main");
    ground.git("push", "-qf", "origin", "main:lockstep/T-1");
    ground.agent.write("a.txt", "reworded\n");
    await ground.collect();
    const refused = await run("create_pr", ground, { context: { extra: again.context } });
    expect(refused).toMatchObject({ status: "FAILURE", message: expect.stringMatching(/cannot be pushed/) });
    expect(ground.remote("rev-parse", "lockstep/T-1")).toBe(theirs);
  });

  it.each(["local", "none"] as const)(
    "is skipped with a reason if `integrate` is `%s`",
    async (integrate) => {
      using ground = await lifecycleGround();
      expect(await run("create_pr", ground, { ports: { integrate } })).toEqual({
        status: "SKIP",
        message: `no pull request: \`integrate\` is \`${integrate}\`, not \`pr\``,
        context: {},
      });
      expect(ground.remote("branch", "--list")).toBe("");
    },
  );

  it("is skipped for a task with `skip_pr`", async () => {
    using ground = await lifecycleGround();
    const { status, message } = await run("create_pr", ground, { context: { extra: { skip_pr: true } } });
    expect({ status, message }).toEqual({
      status: "SKIP",
      message: "no pull request: the task sets `skip_pr`",
    });
    expect(ground.remote("branch", "--list")).toBe("");
  });

  it("pushes without gh, and says what is left to do", async () => {
    using ground = await lifecycleGround();
    rmSync(join(ground.path, ".git/bin/gh"));
    const gh = async () => undefined;
    expect(await run("create_pr", ground, { ports: { gh } })).toMatchObject({
      status: "SUCCESS",
      message: "pushed `lockstep/T-1`; `gh` is not installed: open the pull request by hand",
    });
    expect(ground.remote("rev-parse", "lockstep/T-1")).toBe(ground.work());
  });

  it("fails without a prompt if gh fails, and still reports what it pushed", async () => {
    using ground = await lifecycleGround();
    writeFileSync(join(ground.path, ".git/bin/gh"), "#!/bin/sh\necho not logged in\nexit 4\n");
    expect(await run("create_pr", ground)).toEqual({
      status: "FAILURE",
      message: "`gh pr create` failed: not logged in",
      context: { pushed: ground.work() },
    });
  });
});

describe("run_tests", () => {
  const manifest = (test: string) => JSON.stringify({ scripts: { test } });

  it("runs the tests that the project's files name", async () => {
    using ground = await lifecycleGround({ "package.json": manifest("test -e a.txt") });
    expect(await run("run_tests", ground)).toEqual({
      status: "SUCCESS",
      message: "`npm test` passed",
      context: { tests: "npm test" },
    });
  });

  it("fails if they fail, with a prompt that shows the failure", async () => {
    const noise = `node -e "console.log('x'.repeat(9000)); console.log('expected 1, got 2'); process.exit(3)"`;
    using ground = await lifecycleGround({ "package.json": manifest(noise) });
    const result = await run("run_tests", ground);
    expect(result).toMatchObject({ status: "FAILURE", message: "`npm test` failed with exit code 3" });
    expect(result.remediation_prompt).toContain("expected 1, got 2");
    expect(result.remediation_prompt?.length).toBeLessThan(3500);
  });

  it("is skipped if no file names tests", async () => {
    using ground = await lifecycleGround();
    expect(await run("run_tests", ground)).toMatchObject({ status: "SKIP" });
  });

  it("fails without a prompt if they cannot run", async () => {
    using ground = await lifecycleGround({ Makefile: "test:\n\ttrue\n" });
    const prove = async () => ({ error: "the setup failed" });
    expect(await run("run_tests", ground, { ports: { prove } })).toEqual({
      status: "FAILURE",
      message: "`make test` could not be run: the setup failed",
      context: {},
    });
  });
});

describe("gatekeeper", () => {
  const reviewing = (refused?: string) => {
    const asked: string[] = [];
    const review = async (name: string) => {
      asked.push(name);
      return { approved: name !== refused, reason: `${name} looked` };
    };
    return { asked, review };
  };

  it("passes if each of the named reviewers approves", async () => {
    using ground = await lifecycleGround();
    const { asked, review } = reviewing();
    const parameters = ["qa", "architecture"];
    expect(await run("gatekeeper", ground, { ports: { review }, parameters })).toEqual({
      status: "SUCCESS",
      message: "approved: qa, architecture",
      context: { approvals: { qa: "qa looked", architecture: "architecture looked" } },
    });
    expect(asked).toEqual(parameters);
  });

  it("fails with the first reviewer that does not approve, and asks no other", async () => {
    using ground = await lifecycleGround();
    const { asked, review } = reviewing("qa");
    const result = await run("gatekeeper", ground, { ports: { review }, parameters: ["qa", "architecture"] });
    expect(result).toMatchObject({ status: "FAILURE", message: "review `qa` did not approve: qa looked" });
    expect(asked).toEqual(["qa"]);
  });

  it.each([null, [], ["qa", 1], "qa"])("fails with the parameters %j", async (parameters) => {
    using ground = await lifecycleGround();
    expect(await run("gatekeeper", ground, { parameters })).toMatchObject({ status: "FAILURE" });
  });
});
